package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

var update = flag.Bool("update", false, "rewrite openapi.json and docs/problems.md")

// A world is a running engine on memory with the API on it.
type world struct {
	t      *testing.T
	engine *engine.Engine
	store  *memory.Store
	server *httptest.Server
	gate   chan struct{} // closing it lets the function "slow" return
	log    *logBuffer
}

// newWorld starts an engine with small functions and four workflows.
func newWorld(t *testing.T, o Options) *world {
	t.Helper()
	w := &world{t: t, store: memory.New(memory.Options{}), gate: make(chan struct{}), log: &logBuffer{}}
	if o.Log == nil {
		o.Log = logger(w.log)
	}
	w.engine = engine.New(w.store, w.registry(), engine.Options{Log: o.Log})
	for _, text := range testWorkflows {
		var wire Workflow
		if err := json.Unmarshal([]byte(text), &wire); err != nil {
			t.Fatal(err)
		}
		def, err := wire.definition(wire.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.engine.Put(t.Context(), def, engine.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	enginetest.Start(t, w.engine)
	w.server = httptest.NewServer(New(w.engine, o))
	t.Cleanup(func() {
		w.server.CloseClientConnections()
		w.server.Close()
	})
	return w
}

var testWorkflows = []string{
	`{"id": "talk", "steps": [
		{"id": "root", "function": "ask", "input": {"prompt": "Name?"}},
		{"id": "hello", "function": "say", "input": {"message": "Hello @{SESSION_ID}.root.response"}},
		{"id": "sure", "function": "choose", "input": {"prompt": "Which?", "options": ["red", "blue"]}}],
	  "paths": [{"source": "root", "target": "hello"}, {"source": "hello", "target": "sure"}]}`,
	`{"id": "plain", "steps": [{"id": "root", "function": "say", "input": {"message": "done"}}, {"id": "other", "function": "say", "input": {"message": "other"}}], "paths": []}`,
	`{"id": "slow", "steps": [{"id": "root", "function": "slow", "input": {}}], "paths": []}`,
	`{"id": "thinks", "steps": [{"id": "root", "function": "ask", "input": {"prompt": "?"}}, {"id": "think", "function": "think", "input": {}}],
	  "paths": [{"source": "root", "target": "think"}]}`,
	`{"id": "broken", "steps": [{"id": "root", "function": "fail", "input": {}}], "paths": []}`,
	`{"id": "typed", "steps": [{"id": "root", "function": "ask", "input": {"prompt": "Age?", "schema": {"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}}}}], "paths": []}`,
	`{"id": "default", "steps": [
		{"id": "root", "function": "ask", "input": {"prompt": "Say something", "hint": "anything", "text": "t"}},
		{"id": "again", "function": "ask", "input": {"prompt": "And?"}},
		{"id": "side", "function": "say", "input": {"message": "aside"}}],
	  "paths": [{"source": "root", "target": "again"}]}`,
}

func (w *world) registry() *engine.Registry {
	r := engine.NewRegistry()
	type object = map[string]json.RawMessage
	text := func(raw json.RawMessage) string { var s string; _ = json.Unmarshal(raw, &s); return s }
	engine.Register(r, "ask", func(_ context.Context, in object) (object, error) {
		entry, _ := json.Marshal(in)
		return nil, &engine.AwaitInput{Prompt: text(in["prompt"]), Schema: in["schema"], Entry: entry}
	})
	engine.Register(r, "choose", func(_ context.Context, in object) (object, error) {
		ask := &engine.AwaitInput{Kind: engine.AskSelect, Prompt: text(in["prompt"])}
		return nil, errOr(json.Unmarshal(in["options"], &ask.Options), ask)
	})
	r.Add(engine.Spec{Name: "say", Description: "says something", Function: function.FunctionFunc(func(ctx context.Context, in json.RawMessage) (json.RawMessage, error) {
		var m struct{ Message string }
		if err := json.Unmarshal(in, &m); err != nil {
			return nil, err
		}
		if call := engine.CallOf(ctx); call != nil {
			call.Say(m.Message)
		}
		return json.Marshal(map[string]any{"message": m.Message})
	})})
	engine.Register(r, "slow", func(ctx context.Context, _ object) (object, error) {
		select {
		case <-w.gate:
			return object{}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, func(s *engine.Spec) { s.Effects = true })
	engine.Register(r, "think", func(ctx context.Context, _ object) (object, error) {
		call := engine.CallOf(ctx)
		call.Token("He owes 400.")
		call.Speak("All is ")
		call.Token("Hm.")
		call.Speak("paid.")
		call.Say("All is paid.")
		return object{}, nil
	}, func(s *engine.Spec) { s.Effects = true })
	engine.Register(r, "fail", func(context.Context, object) (object, error) { return nil, fmt.Errorf("it broke") },
		func(s *engine.Spec) { s.Aliases = []string{"break"} })
	return r
}

func errOr(err error, ask error) error {
	if err != nil {
		return err
	}
	return ask
}

// A reply is what came back, decoded where it is JSON.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	text   string
	json   map[string]any
}

// do sends a request; headers are given as "Name: value". A body that is not text is sent
// as JSON.
func (w *world) do(method, path string, body any, headers ...string) *reply {
	w.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			w.t.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, reader)
	if err != nil {
		w.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	return w.send(r)
}

func (w *world) send(r *http.Request) *reply {
	w.t.Helper()
	got, err := w.server.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	out := &reply{t: w.t, status: got.StatusCode, header: got.Header, text: string(text)}
	_ = json.Unmarshal(text, &out.json) // not every answer is an object
	return out
}

// want fails unless the status is as expected.
func (r *reply) want(status int) *reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %s", r.status, status, r.text)
	}
	return r
}

// problem fails unless the answer is the problem of a slug.
func (r *reply) problem(slug string) *reply {
	r.t.Helper()
	row := problemRowOf(slug)
	if r.status != row.Status || r.header.Get("Content-Type") != problemJSON || r.json["type"] != "/problems/"+slug ||
		r.json["title"] != row.Title || r.json["status"] != float64(row.Status) {
		r.t.Fatalf("got %d %s %s, want problem %s", r.status, r.header.Get("Content-Type"), r.text, slug)
	}
	return r
}

// at follows keys and indexes into the answer.
func (r *reply) at(path ...any) any {
	r.t.Helper()
	var v any = r.json
	for _, p := range path {
		switch key := p.(type) {
		case string:
			v = v.(map[string]any)[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				r.t.Fatalf("nothing at %v in %s", path, r.text)
			}
			v = list[key]
		}
	}
	return v
}

func (r *reply) str(path ...any) string { r.t.Helper(); s, _ := r.at(path...).(string); return s }

func (r *reply) is(want any, path ...any) *reply {
	r.t.Helper()
	if got := r.at(path...); fmt.Sprint(got) != fmt.Sprint(want) {
		r.t.Fatalf("%v is %v, want %v: %s", path, got, want, r.text)
	}
	return r
}

// start starts a session and waits until it rests.
func (w *world) start(workflow string) string {
	w.t.Helper()
	return w.do("POST", "/api/v1/sessions?wait=10s", map[string]any{"workflow": workflow}).want(201).str("id")
}

// logBuffer keeps what was logged, for tests that read it.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func logger(to io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }

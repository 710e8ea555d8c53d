package flowiseapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/openai"
	"github.com/stepgraph/stepgraph/vault"
)

// A server is our server with Flowise's routes, and what flows call: a model that
// answers from a script and the HTTP server of the recorded cases.
type server struct {
	t     *testing.T
	url   string
	e     *engine.Engine
	stubs *stubs
}

// endpoints gives flows the models they name themselves.
type endpoints struct{}

func (endpoints) Model(name string) (models.Model, string, error) {
	return nil, "", fmt.Errorf("no model %q", name)
}

func (endpoints) Endpoint(at models.Endpoint) (models.Model, error) {
	return openai.New(openai.Options{BaseURL: at.BaseURL, Key: at.Key, HTTPClient: http.DefaultClient})
}

func newServer(t *testing.T, variables map[string]json.RawMessage) *server {
	t.Helper()
	s := &server{t: t, stubs: newStubs(t)}
	registry := engine.NewRegistry()
	options := functions.Options{Models: endpoints{}, AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	functions.Standard(registry, options)
	compat.Functions(registry, options)
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	known, err := vault.Open(vault.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range variables {
		if err := known.PutVariable(name, vault.Variable{Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	quiet := slog.New(slog.DiscardHandler)
	s.e = engine.New(store, registry, engine.Options{Log: quiet, Variables: func() map[string]json.RawMessage { return variables }})
	enginetest.Start(t, s.e)
	s.url = s.serve(api.Options{Vault: known})
	return s
}

// serve opens a server with Flowise's routes and returns its address.
func (s *server) serve(o api.Options) string {
	s.t.Helper()
	o.Compat, o.Log = true, slog.New(slog.DiscardHandler)
	server := httptest.NewServer(api.New(s.e, o))
	s.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// flowNode is a node as an export has it, with the inputs that matter; all of them accept
// variables.
func flowNode(id, label string, inputs map[string]any) map[string]any {
	var params []any
	for name := range inputs {
		params = append(params, map[string]any{"name": name, "type": "string", "acceptVariable": true})
	}
	name, _, _ := strings.Cut(id, "_")
	return map[string]any{"id": id, "type": "agentFlow", "position": map[string]any{"x": 0, "y": 0},
		"data": map[string]any{"id": id, "name": name, "label": label, "inputs": inputs, "inputParams": params}}
}

func flowEdge(source, handle, target string) map[string]any {
	return map[string]any{"id": source + "-" + source + "-output-" + handle + "-" + target + "-" + target, "type": "agentFlow",
		"source": source, "sourceHandle": source + "-output-" + handle, "target": target, "targetHandle": target}
}

func flowOf(nodes []any, edges ...any) map[string]any {
	return map[string]any{"nodes": nodes, "edges": edges}
}

// greetingFlow says hello; askingFlow asks whether all is right.
var (
	greetingFlow = flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("directReplyAgentflow_0", "Greeting", map[string]any{"directReplyMessage": "Hello {{question}}"}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "directReplyAgentflow_0"))

	askingFlow = flowOf([]any{
		flowNode("startAgentflow_0", "Start", map[string]any{"startInputType": "chatInput"}),
		flowNode("humanInputAgentflow_0", "Ask", map[string]any{"humanInputDescriptionType": "fixed", "humanInputDescription": "All right?", "humanInputEnableFeedback": true}),
		flowNode("directReplyAgentflow_0", "Sent", map[string]any{"directReplyMessage": "sent"}),
		flowNode("directReplyAgentflow_1", "Stopped", map[string]any{"directReplyMessage": "stopped: {{humanInputAgentflow_0}}"}),
	}, flowEdge("startAgentflow_0", "startAgentflow", "humanInputAgentflow_0"),
		flowEdge("humanInputAgentflow_0", "0", "directReplyAgentflow_0"), flowEdge("humanInputAgentflow_0", "1", "directReplyAgentflow_1"))
)

// A reply is what came back.
type reply struct {
	status int
	kind   string
	text   string
	json   map[string]any
}

func (s *server) do(method, path string, body any, headers ...string) reply {
	s.t.Helper()
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		reader = bytes.NewReader(text)
	}
	q, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	out := reply{status: r.StatusCode, kind: r.Header.Get("Content-Type"), text: string(text)}
	_ = json.Unmarshal(text, &out.json) // a list, a stream or plain text
	return out
}

// save stores a flow and returns its id.
func (s *server) save(name string, flow any, config any) string {
	s.t.Helper()
	text, err := json.Marshal(flow)
	if err != nil {
		s.t.Fatal(err)
	}
	row := map[string]any{"name": name, "type": "AGENTFLOW", "flowData": string(text)}
	if config != nil {
		allowed, err := json.Marshal(config)
		if err != nil {
			s.t.Fatal(err)
		}
		row["apiConfig"] = string(allowed)
	}
	r := s.do("POST", "/api/v1/chatflows", row)
	id, _ := r.json["id"].(string)
	if r.status != http.StatusOK || id == "" {
		s.t.Fatalf("%s was not saved: %d %s", name, r.status, r.text)
	}
	return id
}

// stubs answer what flows call.
type stubs struct {
	port string

	mu     sync.Mutex
	script []json.RawMessage // of the model, in order
	asked  []map[string]any  // what the model was sent
	called []map[string]any  // what the HTTP server was sent
	held   chan struct{}     // a call that gets no answer has come
	gate   chan struct{}     // not nil: the model waits for it after its first word
	begin  chan struct{}     // not nil: the model waits for it before it says anything
}

func newStubs(t *testing.T) *stubs {
	s := &stubs{held: make(chan struct{}, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("/http/", s.serve)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.port = server.URL[strings.LastIndex(server.URL, ":")+1:]
	return s
}

// play sets the model's replies of the next run.
func (s *stubs) play(script []json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.asked, s.called = script, nil, nil
}

// heard is what the stubs were sent since play.
func (s *stubs) heard() (asked, called []map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked, s.called
}

// hold lets the model wait after the first word of a reply of several, until let is called.
func (s *stubs) hold() (let func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
	return sync.OnceFunc(func() { close(s.gate) })
}

// holdAll lets the model wait before it says anything, until let is called.
func (s *stubs) holdAll() (let func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin = make(chan struct{})
	return sync.OnceFunc(func() { close(s.begin) })
}

// speak streams the words of a reply.
func (s *stubs) speak(w http.ResponseWriter, model any, words []string, message map[string]any, finish string, gate chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		text, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
	if len(words) == 0 {
		chunk(message, nil)
	}
	for i, word := range words {
		if i == 1 && gate != nil {
			<-gate
		}
		chunk(map[string]any{"role": "assistant", "content": word}, nil)
	}
	chunk(map[string]any{}, finish)
	_, _ = io.WriteString(w, `data: {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}`+"\n\n")
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (s *stubs) complete(w http.ResponseWriter, r *http.Request) {
	var q map[string]any
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply, gate := s.next(q)
	s.mu.Lock()
	begin := s.begin
	s.mu.Unlock()
	if begin != nil {
		<-begin
	}
	if reply == nil {
		http.Error(w, `{"error": {"message": "the script has run out"}}`, http.StatusBadRequest)
		return
	}
	message := map[string]any{"role": "assistant", "content": ""}
	var turn struct {
		Content   string          `json:"content"`
		Status    int             `json:"status"`
		Body      json.RawMessage `json:"body"`
		ToolCalls []struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"tool_calls"`
	}
	var text string
	var words []string
	finish := "stop"
	switch {
	case json.Unmarshal(reply, &text) == nil:
		message["content"] = text
	case json.Unmarshal(reply, &words) == nil:
		message["content"] = strings.Join(words, "")
	case json.Unmarshal(reply, &turn) == nil && turn.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(turn.Status)
		_, _ = w.Write(turn.Body)
		return
	default:
		var calls []map[string]any
		for i, c := range turn.ToolCalls {
			id := c.ID
			if id == "" {
				id = "call_" + strconv.Itoa(i)
			}
			calls = append(calls, map[string]any{"id": id, "type": "function", "index": i,
				"function": map[string]any{"name": c.Name, "arguments": string(c.Args)}})
		}
		message["content"], message["tool_calls"], finish = turn.Content, calls, "tool_calls"
	}
	if q["stream"] == true {
		s.speak(w, q["model"], words, message, finish, gate)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "c", "object": "chat.completion", "model": q["model"], "usage": map[string]int{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}})
}

// next notes a question and gives the reply to it, nil when the script has run out.
func (s *stubs) next(q map[string]any) (reply json.RawMessage, gate chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if len(s.script) == 0 {
		return nil, nil
	}
	reply, s.script = s.script[0], s.script[1:]
	return reply, s.gate
}

func (s *stubs) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.called = append(s.called, map[string]any{"method": r.Method, "path": r.URL.RequestURI(), "body": string(body)})
	s.mu.Unlock()
	answer := func(status int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/http/"); {
	case path == "json":
		answer(http.StatusOK, map[string]any{"ok": true, "items": []any{map[string]any{"id": 1, "name": "one"}, map[string]any{"id": 2, "name": "two"}}})
	case path == "nulls":
		answer(http.StatusOK, map[string]any{"query": nil, "items": []any{nil, map[string]any{"name": nil}}})
	case path == "held":
		s.held <- struct{}{}
		<-r.Context().Done()
	case path == "text":
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "plain text")
	case path == "echo":
		query := map[string]string{}
		for name := range r.URL.Query() {
			query[name] = r.URL.Query().Get(name)
		}
		answer(http.StatusOK, map[string]any{"method": r.Method, "query": query, "body": string(body)})
	case path == "redirect":
		http.Redirect(w, r, "/http/json", http.StatusFound)
	case strings.HasPrefix(path, "status/"):
		status, err := strconv.Atoi(strings.TrimPrefix(path, "status/"))
		if err != nil {
			status = http.StatusBadRequest
		}
		answer(status, map[string]any{"message": fmt.Sprintf("status %d", status)})
	default:
		http.NotFound(w, r)
	}
}

package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stepgraph/stepgraph/api"
	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// start runs an engine with a workflow that asks and replies.
func start(t *testing.T) http.Handler {
	t.Helper()
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	enginetest.Start(t, e)
	return api.New(e, api.Options{})
}

var greet = &engine.Workflow{ID: "greet",
	Steps: []engine.Step{{ID: "root", Function: "request", Input: `{"prompt": "Name?"}`}, {ID: "reply", Function: "reply", Input: `{"message": "Hi @{SESSION_ID}.root.response"}`}},
	Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "reply", ID: "on", Stored: true}, {Kind: engine.Next, Source: "reply", Target: "root", ID: "reply>root", Condition: `{"true": "@{SESSION_ID}.root.again"}`}}}

// TestOneSession goes the same way over a network and in process.
func TestOneSession(t *testing.T) {
	handler := start(t)
	server := httptest.NewServer(handler)
	defer server.Close()
	remote, err := client.New(server.Listener.Addr().String(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*client.Client{"network": remote, "process": client.InProcess(handler, nil)} {
		t.Run(name, func(t *testing.T) { oneSession(t, c, "s-"+name) })
	}
}

func oneSession(t *testing.T, c *client.Client, id string) {
	ctx := t.Context()
	if err := c.Alive(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Put(ctx, greet, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	w, err := c.Workflow(ctx, "greet")
	if err != nil || len(w.Steps) != 2 || !w.Path("on").Stored || w.Path("reply>root").Stored {
		t.Fatalf("workflow: %+v, %v", w, err)
	}
	if d, err := c.Put(ctx, w, engine.PutOptions{}); err != nil || !d.Empty() {
		t.Errorf("putting back what was read changes %+v, %v", d, err)
	}
	events, err := c.Subscribe(ctx, id, "")
	if !errors.Is(err, engine.ErrSessionNotFound) {
		t.Errorf("events of no session: %v, %v", events, err)
	}
	if _, err := c.Start(ctx, engine.StartRequest{Workflow: "greet", ID: id, Inputs: json.RawMessage(`{"a": 1}`)}, 0); err != nil {
		t.Fatal(err)
	}
	s, err := c.Wait(ctx, id)
	if err != nil || s.Status != engine.StatusAwaitingInput {
		t.Fatalf("started: %+v, %v", s, err)
	}
	said := c.Messages(id)
	wantMessages(t, said, "Name?")
	if events, err = c.Subscribe(ctx, id, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Answer(ctx, engine.AnswerRequest{Session: id, Response: json.RawMessage(`"Ada"`)}, 0); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for ev := range events {
		kinds = append(kinds, ev.Type)
	}
	if kinds[0] != string(engine.EventSnapshot) || kinds[len(kinds)-1] != string(engine.EventEnd) {
		t.Errorf("events %v", kinds)
	}
	if s, err = c.Wait(ctx, id); err != nil || s.Status != engine.StatusComplete {
		t.Fatalf("answered: %+v, %v", s, err)
	}
	wantMessages(t, said, "Ada", "Hi Ada")
	wantMessages(t, said)
	ran, err := c.Executions(id, "reply").Next(ctx)
	if err != nil || len(ran) != 1 || ran[0].Step != "reply" {
		t.Errorf("executions: %+v, %v", ran, err)
	}
	if _, version, err := c.State(ctx, id); err != nil || version != s.Version {
		t.Errorf("version of the state %d, of the session %d, %v", version, s.Version, err)
	}
	if _, err := c.Act(ctx, engine.Action{Session: id, Kind: engine.RequestCancel}, 0); !errors.Is(err, engine.ErrSessionEnded) {
		t.Errorf("cancel what has ended: %v", err)
	}
	if err := c.DeleteSession(ctx, id, false); err != nil {
		t.Error(err)
	}
	if _, err := c.Session(ctx, id); !errors.Is(err, engine.ErrSessionNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

func wantMessages(t *testing.T, said *client.Trail[api.Message], want ...string) {
	t.Helper()
	got, err := said.Next(t.Context())
	if err != nil || len(got) != len(want) {
		t.Fatalf("messages %+v, %v, want %q", got, err, want)
	}
	for i := range want {
		if got[i].Content != want[i] {
			t.Errorf("message %d is %q, want %q", i, got[i].Content, want[i])
		}
	}
}

// TestTrailOverPages reads a chat that is longer than a page, and what comes later.
func TestTrailOverPages(t *testing.T) {
	c := client.InProcess(start(t), nil)
	loop := &engine.Workflow{ID: "loop", Steps: []engine.Step{{ID: "root", Function: "request", Input: `{"prompt": "?"}`}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "root", Back: true}}}
	if _, err := c.Put(t.Context(), loop, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Start(t.Context(), engine.StartRequest{Workflow: "loop", ID: "long"}, 0); err != nil {
		t.Fatal(err)
	}
	said, all := c.Messages("long"), 0
	for turn := range 300 {
		if _, err := c.Wait(t.Context(), "long"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Answer(t.Context(), engine.AnswerRequest{Session: "long", Response: json.RawMessage(`"!"`)}, 0); err != nil {
			t.Fatal(err)
		}
		if turn%100 == 0 {
			got, err := said.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all += len(got)
		}
	}
	if _, err := c.Wait(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	got, err := said.Next(t.Context())
	if all += len(got); err != nil || all != 601 {
		t.Errorf("read %d messages, %v, want 601", all, err)
	}
}

func TestWhatIsNoServer(t *testing.T) {
	for _, address := range []string{"", "ftp://host", "http://"} {
		if _, err := client.New(address, ""); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	c, err := client.New(other.URL+"/", "")
	if err != nil {
		t.Fatal(err)
	}
	var failure *client.Error
	if _, err := c.Session(t.Context(), "x"); !errors.As(err, &failure) || failure.Status != http.StatusNotFound || errors.Is(err, engine.ErrSessionNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestPanicInProcess: a handler that panics gives an error, and takes nobody with it.
func TestPanicInProcess(t *testing.T) {
	c := client.InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("oh") }), nil)
	if err := c.Alive(t.Context()); err == nil {
		t.Error("got no error")
	}
}

// TestLeaveWaits: what a handler does for a reader who has gone is over when Leave returns.
func TestLeaveWaits(t *testing.T) {
	var done atomic.Bool
	c := client.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: snapshot\ndata: {}\n\n")
		<-r.Context().Done()
		done.Store(true)
	}), nil)
	if _, err := c.Subscribe(t.Context(), "s", ""); err != nil {
		t.Fatal(err)
	}
	c.Leave()
	if !done.Load() {
		t.Error("the handler goes on")
	}
}

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// A gate is a function with effects whose calls wait until they are let through. It notes
// whose calls they were, in the order in which they began.
type gate struct {
	mu    sync.Mutex
	began []string // workflows
	pass  chan struct{}
}

func (g *gate) call(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	g.mu.Lock()
	g.began = append(g.began, engine.CallOf(ctx).Workflow)
	g.mu.Unlock()
	select {
	case <-g.pass:
		return json.RawMessage(`{}`), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (g *gate) calls() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.began)
}

// newFair is an engine with few places and one slow function, which has limit slots.
func newFair(t *testing.T, limit int) (*playground, *gate) {
	g := &gate{pass: make(chan struct{})}
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{MaxSessions: 8, MaxWaiting: 40, CallsOf: map[string]int{"slow": limit}})
	r := w.registry()
	if r.Find("slow") == nil {
		r.Add(engine.Spec{Name: "slow", Effects: true, Function: function.FunctionFunc(g.call)})
	}
	w.e = engine.New(w.store, r, w.o)
	slow := func(id string) *engine.Workflow {
		return &engine.Workflow{ID: id, Steps: []engine.Step{{ID: "root"}, {ID: "call", Function: "slow"}}, Paths: []engine.Path{next("root", "call")}}
	}
	w.put(slow("night"), slow("day"), &engine.Workflow{ID: "chat",
		Steps: []engine.Step{{ID: "root"}, {ID: "ask", Function: "utils.request.request", Input: `{"prompt": "Name?"}`}, {ID: "bye", Function: "say", Input: `{"text": "bye"}`}},
		Paths: []engine.Path{next("root", "ask"), next("ask", "bye")}})
	return w, g
}

func (w *playground) startMany(workflow string, n int) {
	w.t.Helper()
	for i := range n {
		if _, err := w.e.Start(w.ctx, engine.StartRequest{Workflow: workflow, ID: fmt.Sprintf("%s-%d", workflow, i)}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestChatBesideSlowCalls: sessions in the queue of a slow function, many times as many as
// the engine has places, leave the others theirs. No slow call ends in this test, so
// whoever waits for one waits for ever.
func TestChatBesideSlowCalls(t *testing.T) {
	w, g := newFair(t, 2)
	w.run()
	w.startMany("night", 100)
	w.until("the engine holds what it may of one workflow", func() bool {
		l := w.e.Load()
		return len(g.calls()) == 2 && l.Functions["slow"].Queued >= 20 && l.Sessions == 2
	})
	for i := range 3 {
		id := fmt.Sprint("ada", i)
		if s := w.start("chat", id); s.Status != engine.StatusAwaitingInput {
			t.Fatalf("the chat is %s", s.Status)
		}
		w.answer(id, "ask", `"Ada"`)
		if s := w.wait(id); s.Status != engine.StatusComplete {
			t.Fatalf("the answered chat is %s", s.Status)
		}
	}
	l := w.e.Load()
	if most := 48 * 3 / 4; l.Workflows["night"].Waiting+l.Workflows["night"].Sessions > most {
		t.Errorf("one workflow holds %+v, want at most %d", l.Workflows["night"], most)
	}
	if len(g.calls()) != 2 {
		t.Errorf("%d slow calls began, want the 2 there are slots for", len(g.calls()))
	}
	close(g.pass)
	w.until("all slow calls are through", func() bool { return len(g.calls()) == 100 })
}

// TestDueWorkOfOthers: due sessions of one workflow do not keep back those of another that
// fell due after them.
func TestDueWorkOfOthers(t *testing.T) {
	w, g := newFair(t, 2)
	w.startMany("night", 100) // no engine runs: all are due
	w.startMany("chat", 1)
	w.o.CallsOf = map[string]int{"slow": 2}
	w.run()
	w.until("the chat asks", func() bool {
		s, err := w.e.Session(w.ctx, "chat-0")
		return err == nil && s.Status == engine.StatusAwaitingInput
	})
	close(g.pass)
	w.until("all slow calls are through", func() bool { return len(g.calls()) == 100 })
}

// TestSlotsInTurn: workflows take turns for the slots of a function.
func TestSlotsInTurn(t *testing.T) {
	w, g := newFair(t, 1)
	w.run()
	w.startMany("night", 10)
	w.until("ten calls wait or are made", func() bool { return w.e.Load().Functions["slow"].Queued == 9 })
	w.startMany("day", 3)
	w.until("three more wait", func() bool { return w.e.Load().Functions["slow"].Queued == 12 })
	close(g.pass)
	w.until("all slow calls are through", func() bool { return len(g.calls()) == 13 })
	got := g.calls()[:7]
	want := []string{"night", "night", "day", "night", "day", "night", "day"}
	if !slices.Equal(got, want) {
		t.Errorf("calls began for %v, want %v", got, want)
	}
}

// TestPeopleFirst: a call that a person waits for goes before those nobody waits for.
func TestPeopleFirst(t *testing.T) {
	w, g := newFair(t, 1)
	w.put(&engine.Workflow{ID: "help",
		Steps: []engine.Step{{ID: "root", Function: "utils.request.request", Input: `{"prompt": "?"}`}, {ID: "call", Function: "slow"}},
		Paths: []engine.Path{next("root", "call")}})
	w.run()
	for i := range 3 {
		w.start("help", fmt.Sprintf("help-%d", i))
	}
	w.startMany("night", 10)
	w.until("calls wait", func() bool { return w.e.Load().Functions["slow"].Queued == 9 })
	for i := range 3 {
		w.answer(fmt.Sprintf("help-%d", i), "root", `"yes"`)
	}
	w.until("three more wait", func() bool { return w.e.Load().Functions["slow"].Queued == 12 })
	close(g.pass)
	w.until("all slow calls are through", func() bool { return len(g.calls()) == 13 })
	if got := g.calls()[1:4]; !slices.Equal(got, []string{"help", "help", "help"}) {
		t.Errorf("calls began for %v after the first, want those a person waits for", got)
	}
}

// BenchmarkChatBesideSlowCalls: how long a chat of another workflow takes to start, ask and
// be answered, beside 1,500 sessions in calls of 5 s, with the limits as they are by default.
func BenchmarkChatBesideSlowCalls(b *testing.B) {
	ctx := b.Context()
	r := engine.NewRegistry()
	functions.Standard(r, functions.Options{})
	r.Add(engine.Spec{Name: "slow", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		select {
		case <-time.After(5 * time.Second):
		case <-ctx.Done():
		}
		return json.RawMessage(`{}`), nil
	})})
	e := engine.New(memory.New(memory.Options{}), r, engine.Options{StopGrace: time.Millisecond})
	running, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- e.Run(running) }()
	defer func() { stop(); <-ended }()
	for _, w := range []*engine.Workflow{
		{ID: "night", Steps: []engine.Step{{ID: "root", Function: "slow"}}},
		{ID: "chat", Steps: []engine.Step{{ID: "root", Function: "utils.request.request", Input: `{"prompt": "Name?"}`}}},
	} {
		if _, err := e.PutWorkflow(ctx, w, ""); err != nil {
			b.Fatal(err)
		}
	}
	for range 1500 {
		if _, err := e.Start(ctx, engine.StartRequest{Workflow: "night"}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "chat"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Answer(ctx, engine.AnswerRequest{Session: s.ID, Response: json.RawMessage(`"Ada"`)}); err != nil {
			b.Fatal(err)
		}
		if s, err = e.Wait(ctx, s.ID); err != nil || s.Status != engine.StatusComplete {
			b.Fatal(s, err)
		}
	}
}

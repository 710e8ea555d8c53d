package engine_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// A playground is an engine on a store, with the functions of the scenarios and two of its own,
// for behaviour that a scenario file cannot arrange.
type playground struct {
	t     *testing.T
	ctx   context.Context
	store engine.Store
	o     engine.Options
	fakes *fakes
	e     *engine.Engine
	stop  func() // of the engine that runs; a further run starts another
}

func newPlay(t *testing.T, store engine.Store, o engine.Options) *playground {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	w := &playground{t: t, ctx: ctx, store: store, o: o, fakes: newFakes(), stop: func() {}}
	w.e = engine.New(store, w.registry(), o)
	return w
}

func (w *playground) registry() *engine.Registry {
	r := w.fakes.registry()
	if r.Find("ask_name") == nil { // the fakes keep one registry
		engine.Register(r, "ask_name", askName)
		engine.Register(r, "sessions", runSessions)
	}
	return r
}

// run starts an engine; stop ends it.
func (w *playground) run() {
	w.e = engine.New(w.store, w.registry(), w.o)
	w.stop = w.runEngine(w.e)
}

func (w *playground) runEngine(e *engine.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	go func() {
		_ = e.Run(ctx)
		close(done)
	}()
	stop = func() { cancel(); <-done }
	w.t.Cleanup(stop)
	return stop
}

func next(from, to string) engine.Path {
	return engine.Path{Kind: engine.Next, Source: from, Target: to}
}

func (w *playground) put(workflows ...*engine.Workflow) {
	w.t.Helper()
	for _, x := range workflows {
		if _, err := w.e.PutWorkflow(w.ctx, x, ""); err != nil {
			w.t.Fatal(err)
		}
	}
}

// start starts a session and waits until it rests.
func (w *playground) start(workflow, id string) *engine.Session {
	w.t.Helper()
	s, err := w.e.StartAndWait(w.ctx, engine.StartRequest{Workflow: workflow, ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *playground) wait(id string) *engine.Session {
	w.t.Helper()
	s, err := w.e.Wait(w.ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *playground) answer(id, step, response string) {
	w.t.Helper()
	if _, err := w.e.Answer(w.ctx, engine.AnswerRequest{Session: id, Step: step, Response: json.RawMessage(response)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *playground) act(a engine.Action) {
	w.t.Helper()
	if _, err := w.e.Act(w.ctx, a); err != nil {
		w.t.Fatal(err)
	}
}

// until polls until done.
func (w *playground) until(what string, done func() bool) {
	w.t.Helper()
	for !done() {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("waited in vain until %s", what)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

package engine_test

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestWaitIgnoresAnEarlierRest: the last word of a runner that had given up the session before an
// answer was accepted may come while its sender already waits for what the answer does. It is not
// what they wait for.
func TestWaitIgnoresAnEarlierRest(t *testing.T) {
	r, gate := engine.NewRegistry(), make(chan struct{})
	engine.Register(r, "ask", func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, &engine.AwaitInput{Prompt: "Name?", Entry: json.RawMessage(`{}`)}
	})
	engine.Register(r, "work", func(ctx context.Context, _ struct{}) (struct{}, error) {
		<-gate
		return struct{}{}, nil
	}, func(s *engine.Spec) { s.Effects = true })
	rows, ctx := memory.New(memory.Options{}), t.Context()
	e := engine.New(rows, r, engine.Options{})
	enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "ask"}, {ID: "then", Function: "work"}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "then"}}}, ""); err != nil {
		t.Fatal(err)
	}
	asked, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := rows.Session(ctx, asked.ID)
	if err != nil {
		t.Fatal(err)
	}
	for engine.Holds(e, asked.ID) { // until its runner is gone
		runtime.Gosched()
	}
	answered, err := e.Answer(ctx, engine.AnswerRequest{Session: asked.ID, Response: json.RawMessage(`"Ada"`)})
	if err != nil {
		t.Fatal(err)
	}
	type end struct {
		s   *engine.Session
		err error
	}
	waited := make(chan end, 1)
	go func() {
		s, err := e.WaitAfter(ctx, answered)
		waited <- end{s, err}
	}()
	for !engine.Watched(e, asked.ID) {
		runtime.Gosched()
	}
	engine.HandOver(e, before)
	for engine.HandedOver(e, asked.ID) { // until the waiter has looked at it
		runtime.Gosched()
	}
	close(gate)
	if got := <-waited; got.err != nil || got.s.Status != engine.StatusComplete {
		t.Errorf("waited for %+v, %v; want the session complete", got.s, got.err)
	}
}

package engine_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// counterless hides a session's counters from the engine, as if somebody had removed the
// property.
type counterless struct {
	engine.Store
	hide bool
}

func (c *counterless) Deliver(ctx context.Context, d []store.Delivery) ([]store.Delivered, error) {
	out, err := c.Store.Deliver(ctx, d)
	for i := range out {
		if c.hide && out[i].Claimed != nil {
			out[i].Claimed.Session.Counters = nil
			c.hide = false
		}
	}
	return out, err
}

// TestLostCounters: a session whose counters somebody removed goes on, and gives no
// number of its history twice.
func TestLostCounters(t *testing.T) {
	opened := &counterless{Store: memory.New(memory.Options{})}
	registry := engine.NewRegistry()
	engine.Register(registry, "ask_name", askName)
	engine.Register(registry, "greet", greet)
	e := engine.New(opened, registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	stopEngine := enginetest.Start(t, e)
	_, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w",
		Steps: []engine.Step{{ID: "root", Function: "ask_name"}, {ID: "greet", Function: "greet", Input: `{"name": "@{SESSION_ID}.root.response"}`}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "greet"}, {Kind: engine.Next, Source: "greet", Target: "root"}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w", ID: "s"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"Ada"`, `"Bob"`, `"Cy"`} {
		opened.hide = name == `"Bob"`
		if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "s", Response: json.RawMessage(name)}); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Wait(ctx, "s"); err != nil {
			t.Fatal(err)
		}
	}
	ran, err := e.Executions(ctx, "s", engine.HistoryQuery{})
	if err != nil || len(ran) != 6 {
		t.Fatalf("%d executions, %v", len(ran), err)
	}
	for i, x := range ran {
		if x.Seq != int64(i+1) || x.Visit != i/2+1 {
			t.Errorf("execution %d has seq %d, visit %d", i, x.Seq, x.Visit)
		}
	}
	said, err := e.Messages(ctx, "s", engine.HistoryQuery{})
	if err != nil || len(said) != 10 || said[9].N != 10 {
		t.Errorf("%d messages, %v", len(said), err)
	}
	stopEngine()
}

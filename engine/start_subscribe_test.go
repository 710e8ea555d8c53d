package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestStartAndSubscribe: whoever starts a session so misses no word of its first step, and is
// told what came of it after that.
func TestStartAndSubscribe(t *testing.T) {
	registry := engine.NewRegistry()
	registry.Add(engine.Spec{Name: "talk", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		engine.CallOf(ctx).Token("at once")
		return json.RawMessage(`{}`), nil
	})})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "talk"}}}, ""); err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		s, events, err := e.StartAndSubscribe(ctx, engine.StartRequest{Workflow: "w"})
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		for ev := range events {
			switch data := ev.Data.(type) {
			case *engine.Session:
				seen += data.ID + " "
			case engine.TokenEvent:
				seen += data.Text
			case engine.StepEvent:
				if data.Status == engine.StatusComplete {
					seen += ", then " + data.Step
				}
			}
		}
		if want := s.ID + " at once, then root"; seen != want {
			t.Fatalf("start %d: got %q, want %q", n, seen, want)
		}
	}
	if _, _, err := e.StartAndSubscribe(ctx, engine.StartRequest{Workflow: "none"}); err == nil {
		t.Error("a session of no workflow was started")
	}
	for n := range 2 { // one session, whoever asks for it how often
		s, events, err := e.StartAndSubscribe(ctx, engine.StartRequest{Workflow: "w", Key: "once"})
		if err != nil || s.Replayed != (n == 1) {
			t.Fatalf("%+v, %v", s, err)
		}
		last := ""
		for ev := range events {
			last = fmt.Sprint(ev.Type, " ", ev.Session == s.ID)
		}
		if last != string(engine.EventEnd)+" true" {
			t.Errorf("the last event is %s", last)
		}
	}
}

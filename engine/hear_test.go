package engine_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestHear: what a function hears and says stands in the chat in that order.
func TestHear(t *testing.T) {
	registry := engine.NewRegistry()
	registry.Add(engine.Spec{Name: "talk", Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		engine.CallOf(ctx).Hear("Hello")
		engine.CallOf(ctx).Say("Good day")
		return json.RawMessage(`{}`), nil
	})})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "talk"}}}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w", ID: "s"}); err != nil {
		t.Fatal(err)
	}
	said, err := e.Messages(ctx, "s", engine.HistoryQuery{})
	if err != nil || len(said) != 2 || said[0].Role != "user" || said[0].Content != "Hello" || said[1].Role != "assistant" || said[1].Step != "root" {
		t.Errorf("the chat is %+v, %v", said, err)
	}
}

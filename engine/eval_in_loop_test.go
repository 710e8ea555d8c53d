package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// A session that waits inside a loop can be asked what the loop has come to, and goes on
// after somebody has taken the loop out of the workflow.
func TestEvalInsideALoop(t *testing.T) {
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	enginetest.Start(t, e)
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "loop", Input: `{"over": ["a", "b"]}`},
		{ID: "ask", Function: "request", Input: `{"prompt": "@{SESSION_ID}.root.item after @{SESSION_ID}.root.results[0].response|nothing"}`}},
		Paths: []engine.Path{{Kind: engine.Contains, Source: "root", Target: "ask"}, {Kind: engine.Next, Source: "root", Target: "ask", Condition: "@{SESSION_ID}.root.results"}}}
	if _, err := e.Put(ctx, w, engine.PutOptions{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(ctx, engine.StartRequest{Workflow: "w", ID: "s"}); err != nil {
		t.Fatal(err)
	}
	events, err := e.Subscribe(ctx, "s", "")
	if err != nil {
		t.Fatal(err)
	}
	awaitQuestion(t, events, "a after nothing")
	if _, err := e.Answer(ctx, engine.AnswerRequest{Session: "s", Response: []byte(`"yes"`)}); err != nil {
		t.Fatal(err)
	}
	awaitQuestion(t, events, "b after yes")
	for text, want := range map[string]string{"@{SESSION_ID}.root.index": "1", "@{SESSION_ID}.root.results[0].response": `"yes"`} {
		got, err := e.EvalReference(ctx, engine.ReferenceQuery{Session: "s", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if string(got.Value) != want {
			t.Errorf("%s is %s, want %s", text, got.Value, want)
		}
	}
	if got, err := e.EvalCondition(ctx, engine.ConditionQuery{Session: "s", Condition: "@{SESSION_ID}.root.results"}); err != nil || !got.Result {
		t.Errorf("the condition gave %+v, %v", got, err)
	}
	if _, err := e.RemoveStep(ctx, "w", "root", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Explain(ctx, "s"); err != nil || got == nil {
		t.Errorf("not explained: %v", err)
	}
}

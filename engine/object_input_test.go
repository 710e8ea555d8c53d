package engine_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// fieldsOnly returns its input and fails if it is given as a text.
type fieldsOnly struct{ t *testing.T }

func (f fieldsOnly) Call(context.Context, json.RawMessage) (json.RawMessage, error) {
	f.t.Error("the function got the text of its input")
	return json.RawMessage("{}"), nil
}

func (f fieldsOnly) CallObject(_ context.Context, input function.Object) (json.RawMessage, error) {
	return input.Encode(), nil
}

// A function receives the fields of its input as they were resolved, in the order and with the
// digits of what was written and referred to. The history records the same as text.
func TestFunctionReceivesFields(t *testing.T) {
	r := engine.NewRegistry()
	r.Add(engine.Spec{Name: "fields", Function: fieldsOnly{t}, Raw: []string{"while"}})
	e := engine.New(memory.New(memory.Options{}), r, engine.Options{})
	enginetest.Start(t, e)
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{
		{ID: engine.DefaultEntry, Function: "fields", Input: `{"z": 12345678901234567890.10, "a": {"y": [1, 2], "b": null}, "a b": "x: {,}"}`},
		{ID: "next", Function: "fields", Input: `{"while": "@{SESSION_ID}.root.z > 1", "whole": "@{SESSION_ID}.root", "text": "n = @{SESSION_ID}.root.z", "twice": 1, "n": "@{SESSION_ID}.root.z", "twice": "@{SESSION_ID}.root.a"}`},
	}, Paths: []engine.Path{{Kind: engine.Next, Source: engine.DefaultEntry, Target: "next"}}}
	if _, err := e.PutWorkflow(t.Context(), w, ""); err != nil {
		t.Fatal(err)
	}
	s, err := e.StartAndWait(t.Context(), engine.StartRequest{Workflow: "w"})
	if err != nil {
		t.Fatal(err)
	}
	root := `{"z":12345678901234567890.10,"a":{"y":[1,2],"b":null},"a b":"x: {,}"}`
	want := map[string]string{
		engine.DefaultEntry: root,
		"next":              `{"whole":` + root + `,"text":"n = 12345678901234567890.10","twice":{"y":[1,2],"b":null},"n":12345678901234567890.10,"while":"@{SESSION_ID}.root.z > 1"}`,
	}
	records, err := e.Executions(t.Context(), s.ID, engine.HistoryQuery{})
	if err != nil || len(records) != 2 {
		t.Fatalf("history: %v, %v", records, err)
	}
	for _, x := range records {
		if string(x.Output) != want[x.Step] {
			t.Errorf("%s received %s, want %s", x.Step, x.Output, want[x.Step])
		}
	}
}

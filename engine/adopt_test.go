package engine_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/tidwall/gjson"
)

// TestAdoptStarts: an adopted session has its entry, and one without any step begins
// there, as when it is addressed.
func TestAdoptStarts(t *testing.T) {
	opened := memory.New(memory.Options{})
	e := engine.New(opened, engine.NewRegistry(), engine.Options{})
	w := &engine.Workflow{ID: engine.DefaultWorkflow, Steps: []engine.Step{{ID: "root"}, {ID: "side"}}}
	if _, err := e.Put(t.Context(), w, engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for id, state := range map[string]string{"empty": `{}`, "entry": `{"workflow_id": "side"}`,
		"stands": `{"workflow_id": "side", "workflow": {"side": {"status": "active", "error": ""}}}`, "named": `{"workflow_id": "default"}`} {
		if _, err := opened.Create(t.Context(), []store.NewSession{{ID: id, State: []byte(state)}}); err != nil {
			t.Fatal(err)
		}
	}
	if n, bad, err := e.Adopt(t.Context()); n != 4 || len(bad) > 0 || err != nil {
		t.Fatalf("adopted %d, %v, %v", n, bad, err)
	}
	stopEngine := enginetest.Start(t, e)
	for id, want := range map[string]struct{ step, entry string }{"empty": {"root", ""}, "entry": {"side", "side"}, "stands": {"side", "side"}, "named": {"root", ""}} {
		s, err := e.Wait(t.Context(), id)
		if err != nil || s.Status != engine.StatusComplete || s.Steps[want.step] != engine.StatusComplete || len(s.Steps) != 1 {
			t.Errorf("%s: %+v, %v", id, s, err)
		}
		state, _, err := e.State(t.Context(), id)
		if entry := gjson.GetBytes(state, "engine.entry").String(); err != nil || entry != want.entry {
			t.Errorf("%s: entry %q, want %q, %v", id, entry, want.entry, err)
		}
	}
	stopEngine()
}

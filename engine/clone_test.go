package engine_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestWorkflowsAreCopies: what a caller does with a workflow it has read does not change what sessions
// run and what the next caller gets, though the store keeps what it has read.
func TestWorkflowsAreCopies(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	e := engine.New(store, engine.NewRegistry(), engine.Options{})
	w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Extra: map[string]any{"colour": "red"}}}, Paths: []engine.Path{next("root", "root")}}
	if _, err := e.PutWorkflow(t.Context(), w, ""); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		got, err := e.Workflow(t.Context(), "w")
		if err != nil || len(got.Steps) != 1 || len(got.Paths) != 1 {
			t.Fatal(got, err)
		}
		if step := got.Step("root"); step.Name != "" || step.Extra["colour"] != "red" {
			t.Fatalf("the step is %+v", step)
		}
		got.Steps[0].Name, got.Steps[0].Extra["colour"] = "mine", "blue"
		got.Paths = got.Paths[:0]
	}
}

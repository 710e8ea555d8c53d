package engine_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// A graph that people drew may hold a path into another workflow. It is kept and never taken;
// one to a step that is nowhere is refused.
func TestPathIntoAnotherWorkflowIsKept(t *testing.T) {
	store := memory.New(memory.Options{})
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := engine.New(store, engine.NewRegistry(), engine.Options{})
	put := func(id string, paths ...engine.Path) error {
		_, err := e.Put(t.Context(), &engine.Workflow{ID: id, Steps: []engine.Step{{ID: "root", Workflow: id}}, Paths: paths}, engine.PutOptions{Force: true})
		return err
	}
	if err := put("market"); err != nil {
		t.Fatal(err)
	}
	away := engine.Path{Kind: engine.Next, Source: "root", Target: "root", TargetWorkflow: "market"}
	if err := put("shop", away); err != nil {
		t.Fatal(err)
	}
	w, err := e.Workflow(t.Context(), "shop")
	if err != nil || len(w.Paths) != 1 || w.Paths[0].TargetWorkflow != "market" {
		t.Errorf("stored %+v, %v", w, err)
	}
	away.Target = "nobody"
	if err := put("shop", away); err == nil {
		t.Error("a path to a step that is nowhere was stored")
	}
}

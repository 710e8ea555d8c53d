package enginetest_test

import (
	"os"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/functions"
)

// TestOrder plays a workflow file with the standard functions: docs/testing.md shows it.
func TestOrder(t *testing.T) {
	const file = "../docs/tutorial/order.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := formats.Load(file, text)
	if err != nil {
		t.Fatal(err)
	}
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{})
	result := enginetest.Play(t, enginetest.Game{
		Workflow: &loaded.Workflows[0],
		Registry: registry,
		Answers: []enginetest.Answer{
			enginetest.Say(map[string]any{"item": "lamp", "pieces": 20}),
			enginetest.SayTo("check", true),
		},
	})
	result.WantStatus(engine.StatusComplete)
	result.WantSteps("root", "check", "thanks")
	result.WantOutput("check", map[string]any{"pieces": 20})
}

package functions_test

import (
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/memory"
)

// BenchmarkSteps runs sessions of 20 steps, each with references to the step before. An operation
// is one step, with everything that the engine does for it on the memory store.
func BenchmarkSteps(b *testing.B) {
	const steps = 20
	w := &engine.Workflow{ID: "w"}
	for i := range steps {
		id, before := fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", i-1)
		if i == 0 {
			id, before = engine.DefaultEntry, "none"
		} else {
			source := before
			if i == 1 {
				source = engine.DefaultEntry
			}
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: source, Target: id})
		}
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "template",
			Input: `{"template": "step ` + id + ` follows @{SESSION_ID}.` + before + `.text|nothing", "separator": ", ", "trim": true, "mood": "good", "more": {"n": 12, "of": ["a", "b"]}}`})
	}
	registry := function.NewRegistry()
	functions.Standard(registry, functions.Options{})
	e := engine.New(memory.New(memory.Options{}), registry, engine.Options{})
	enginetest.Start(b, e)
	if _, err := e.PutWorkflow(b.Context(), w, ""); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += steps {
		s, err := e.StartAndWait(b.Context(), engine.StartRequest{Workflow: w.ID})
		if err != nil || s.Status != engine.StatusComplete {
			b.Fatalf("%+v, %v", s, err)
		}
	}
}

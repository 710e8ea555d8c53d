package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// A workload plays against a bench and says what came of it.
type workload struct {
	name  string
	steps []engine.Step
	paths []engine.Path
	play  func(context.Context, *bench) error
}

// Names of the functions that workloads call.
const (
	effect   = "bench.effect"
	nothing  = "bench.nothing"
	question = "bench.ask"
	rounds   = "bench.rounds"
	children = "bench.children"
)

// chainLength is the number of steps of chain and pure.
const chainLength = 20

// bodies is how often loop and map run their body of two steps.
const bodies = 100

// functions do as little as a step can.
func functions() *engine.Registry {
	r := engine.NewRegistry()
	done := function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"done":true}`), nil
	})
	r.Add(engine.Spec{Name: effect, Effects: true, Limit: 10_000, Function: done})
	r.Add(engine.Spec{Name: nothing, Function: done})
	r.Add(engine.Spec{Name: question, Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &engine.AwaitInput{Prompt: "And then?"}
	})})
	r.Add(engine.Spec{Name: rounds, Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &function.RunBody{Rounds: bodies}
	})})
	r.Add(engine.Spec{Name: children, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		if engine.CallOf(ctx).Body != nil { // they have ended
			return json.RawMessage(`{"done":true}`), nil
		}
		return nil, &function.RunSessions{Sessions: slices.Repeat([]function.ChildSession{{Body: true}}, bodies)}
	})})
	return r
}

// line is steps one after another, each calling the function of its place.
func line(called ...string) ([]engine.Step, []engine.Path) {
	var steps []engine.Step
	var paths []engine.Path
	for i, function := range called {
		steps = append(steps, engine.Step{ID: place(i), Function: function, Input: `{"before": "@{SESSION_ID}.root|none"}`})
		if i > 0 {
			paths = append(paths, engine.Path{Kind: engine.Next, Source: place(i - 1), Target: place(i)})
		}
	}
	return steps, paths
}

func place(i int) string {
	if i == 0 {
		return engine.DefaultEntry
	}
	return fmt.Sprintf("s%02d", i)
}

func repeated(function string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = function
	}
	return list
}

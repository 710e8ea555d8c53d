package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// Names of the functions that workloads call.
const (
	effect   = "bench.effect"
	nothing  = "bench.nothing"
	question = "bench.ask"
	rounds   = "bench.rounds"
	children = "bench.children"
)

// functions do as little as a step can.
func functions() *engine.Registry {
	r := engine.NewRegistry()
	done := engine.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"done":true}`), nil
	})
	r.Add(engine.Spec{Name: effect, Effects: true, Limit: 10_000, Function: done})
	r.Add(engine.Spec{Name: nothing, Function: done})
	r.Add(engine.Spec{Name: question, Function: engine.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &engine.AwaitInput{Prompt: "And then?"}
	})})
	r.Add(engine.Spec{Name: rounds, Function: engine.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &engine.RunBody{Rounds: bodies}
	})})
	r.Add(engine.Spec{Name: children, Function: engine.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		if engine.CallOf(ctx).Body != nil { // they have ended
			return json.RawMessage(`{"done":true}`), nil
		}
		return nil, &engine.RunSessions{Sessions: slices.Repeat([]engine.ChildSession{{Body: true}}, bodies)}
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

// chainLength is the number of steps of chain and pure.
const chainLength = 20

func chain() workload {
	steps, paths := line(repeated(effect, chainLength)...)
	return workload{"chain", steps, paths, func(ctx context.Context, b *bench) error { return b.sustained(ctx, chainLength) }}
}

func pure() workload {
	steps, paths := line(repeated(nothing, chainLength)...)
	return workload{"pure", steps, paths, func(ctx context.Context, b *bench) error { return b.sustained(ctx, chainLength) }}
}

// width is how many steps of fanout stand side by side.
const width = 100

func fanout() workload {
	steps := []engine.Step{{ID: engine.DefaultEntry}, {ID: "joined", Join: engine.JoinAll}}
	var paths []engine.Path
	for i := range width {
		id := fmt.Sprintf("b%03d", i)
		steps = append(steps, engine.Step{ID: id, Function: effect})
		paths = append(paths, engine.Path{Kind: engine.Next, Source: engine.DefaultEntry, Target: id},
			engine.Path{Kind: engine.Next, Source: id, Target: "joined"})
	}
	return workload{"fanout", steps, paths, func(ctx context.Context, b *bench) error { return b.sustained(ctx, width+2) }}
}

// bodies is how often loop and map run their body of two steps.
const bodies = 100

func loop() workload { return holding("loop", rounds) }

func parallel() workload { return holding("map", children) }

// holding is a container and its body: a step with an effect and one without.
func holding(name, function string) workload {
	steps := []engine.Step{{ID: engine.DefaultEntry, Function: function}, {ID: "first", Function: effect}, {ID: "then", Function: nothing}}
	paths := []engine.Path{{Kind: engine.Contains, Source: engine.DefaultEntry, Target: "first"}, {Kind: engine.Contains, Source: engine.DefaultEntry, Target: "then"},
		{Kind: engine.Next, Source: "first", Target: "then"}}
	return workload{name, steps, paths, func(ctx context.Context, b *bench) error { return b.sustained(ctx, 1+2*bodies) }}
}

// stepsAround is how many steps of pause and resume run before and after the question.
const stepsAround = 2

func aroundQuestion() ([]engine.Step, []engine.Path) {
	return line(effect, effect, question, effect, effect)
}

func pause() workload {
	steps, paths := aroundQuestion()
	return workload{"pause", steps, paths, func(ctx context.Context, b *bench) error { return b.playPause(ctx) }}
}

func resume() workload {
	steps, paths := aroundQuestion()
	return workload{"resume", steps, paths, func(ctx context.Context, b *bench) error { return b.playResume(ctx) }}
}

// turnSteps is how many steps a turn of a conversation has.
const turnSteps = 3

func turns() workload {
	steps, paths := line(question, effect, nothing)
	paths = append(paths, engine.Path{Kind: engine.Next, Source: place(2), Target: engine.DefaultEntry, Back: true})
	return workload{"turns", steps, paths, func(ctx context.Context, b *bench) error { return b.playTurns(ctx) }}
}

package bench

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

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

func loop() workload { return holding("loop", rounds) }

func parallel() workload { return holding("map", children) }

// holding is a container and its body: a step with an effect and one without.
func holding(name, function string) workload {
	steps := []engine.Step{{ID: engine.DefaultEntry, Function: function}, {ID: "first", Function: effect}, {ID: "then", Function: nothing}}
	paths := []engine.Path{{Kind: engine.Contains, Source: engine.DefaultEntry, Target: "first"}, {Kind: engine.Contains, Source: engine.DefaultEntry, Target: "then"},
		{Kind: engine.Next, Source: "first", Target: "then"}}
	return workload{name, steps, paths, func(ctx context.Context, b *bench) error { return b.sustained(ctx, 1+2*bodies) }}
}

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

func turns() workload {
	steps, paths := line(question, effect, nothing)
	paths = append(paths, engine.Path{Kind: engine.Next, Source: place(2), Target: engine.DefaultEntry, Back: true})
	return workload{"turns", steps, paths, func(ctx context.Context, b *bench) error { return b.playTurns(ctx) }}
}

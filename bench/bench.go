package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// workloads is the whole list.
func workloads() []workload {
	return []workload{chain(), pure(), pause(), turns(), fanout(), loop(), parallel(), resume(), ceiling()}
}

// Names lists the workloads in the order in which they are best run.
func Names() []string {
	var names []string
	for _, w := range workloads() {
		names = append(names, w.name)
	}
	return names
}

// ErrUnknownWorkload is returned for a name that is none of Names.
var ErrUnknownWorkload = errors.New("no such workload")

// Run measures one workload on a store, which it migrates and does not close. The
// sessions it makes are deleted afterwards, its workflow too.
func Run(ctx context.Context, store engine.Store, name string, o Options) (*Result, error) {
	for _, w := range workloads() {
		if w.name == name {
			return w.run(ctx, store, o.withDefaults())
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownWorkload, name)
}

func (w *workload) run(ctx context.Context, store engine.Store, o Options) (*Result, error) {
	if _, err := store.Migrate(ctx); err != nil {
		return nil, err
	}
	counted := &countingStore{Store: store}
	b := &bench{o: o, store: counted, workflow: "bench-" + w.name, engine: engine.New(counted, functions(), engine.Options{Log: o.Log})}
	flow := &engine.Workflow{ID: b.workflow, Steps: w.steps, Paths: w.paths}
	if len(flow.Steps) == 0 { // the store alone: no engine may claim its sessions
		return b.finish(ctx, w.name, w.play(ctx, b))
	}
	if _, err := b.engine.PutWorkflow(ctx, flow, ""); err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- b.engine.Run(life) }()
	err := w.play(ctx, b)
	stop()
	if ran := <-ended; ran != nil && !errors.Is(ran, context.Canceled) {
		err = errors.Join(err, ran)
	}
	return b.finish(ctx, w.name, err)
}

// finish cleans up and sums up.
func (b *bench) finish(ctx context.Context, name string, err error) (*Result, error) {
	result := b.result(name, b.store.Describe())
	return result, errors.Join(err, b.clean(context.WithoutCancel(ctx)))
}

package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Options say what to measure and how much of it. Zero numbers take their defaults.
type Options struct {
	Sessions int           // in flight at once, or in all for resume; 50
	Time     time.Duration // how long the others than turns and resume run; 5 s
	Turns    int           // of the conversation; 200
	Log      *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Sessions <= 0 {
		o.Sessions = 50
	}
	if o.Time <= 0 {
		o.Time = 5 * time.Second
	}
	if o.Turns <= 0 {
		o.Turns = 200
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// A Result is what one workload came to.
type Result struct {
	Workload       string   `json:"workload"`
	Store          string   `json:"store"`
	Sessions       int      `json:"sessions"` // that were played to their end
	StepsPerS      float64  `json:"steps_per_s"`
	CheckpointsPer float64  `json:"checkpoints_per_s"`
	RowsPerSession float64  `json:"rows_per_session"` // checkpoints, creations and requests
	P50            float64  `json:"p50_ms"`           // of a session, a turn, an answer or a commit
	P99            float64  `json:"p99_ms"`
	MSPerStep      float64  `json:"ms_per_step"` // as one session sees it
	PeakRSS        float64  `json:"peak_rss_mb"` // of the process, since it began
	First50        *float64 `json:"first50_ms,omitempty"`
	Last50         *float64 `json:"last50_ms,omitempty"`
	StartPerS      *float64 `json:"start_per_s,omitempty"`
	ResumePerS     *float64 `json:"resume_per_s,omitempty"`
}

// A workload plays against a bench and says what came of it.
type workload struct {
	name  string
	steps []engine.Step
	paths []engine.Path
	play  func(context.Context, *bench) error
}

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

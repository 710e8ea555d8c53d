package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A bench is one workload being played, and what has been measured of it.
type bench struct {
	o        Options
	engine   *engine.Engine
	store    *countingStore
	workflow string

	mu        sync.Mutex
	latencies []time.Duration
	perStep   int // steps in what a latency spans
	steps     int
	sessions  int
	took      time.Duration
	commits   int64
	rows      int64 // commits, creations and requests

	first50, last50       *float64
	startPerS, resumePerS *float64
}

// countingStore counts what is written of sessions.
type countingStore struct {
	engine.Store
	written atomic.Int64 // checkpoints
	other   atomic.Int64 // new sessions and requests
}

// Create passes on and counts.
func (s *countingStore) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	results, err := s.Store.Create(ctx, sessions)
	for i := range results {
		if results[i].Err == nil && !results[i].Exists {
			s.other.Add(1)
		}
	}
	return results, err
}

// Deliver passes on and counts.
func (s *countingStore) Deliver(ctx context.Context, deliveries []store.Delivery) ([]store.Delivered, error) {
	results, err := s.Store.Deliver(ctx, deliveries)
	for i := range results {
		if results[i].Request != nil {
			s.other.Add(1)
		}
	}
	return results, err
}

// Commit passes on and counts.
func (s *countingStore) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	results, err := s.Store.Commit(ctx, checkpoints)
	for i := range results {
		if results[i].Outcome == store.Committed {
			s.written.Add(1)
		}
	}
	return results, err
}

// timed measures what happens in f as the workload's time.
func (b *bench) timed(f func() error) error {
	began, before, other := time.Now(), b.store.written.Load(), b.store.other.Load()
	err := f()
	b.took += time.Since(began)
	commits := b.store.written.Load() - before
	b.commits += commits
	b.rows += commits + b.store.other.Load() - other
	return err
}

// add notes one measured latency, and how many steps ran in it.
func (b *bench) add(latency time.Duration, steps, sessions int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latencies = append(b.latencies, latency)
	b.perStep = steps
	b.steps += steps
	b.sessions += sessions
}

func (b *bench) result(name, store string) *Result {
	slices.Sort(b.latencies)
	r := &Result{Workload: name, Store: store, Sessions: b.sessions, P50: ms(b.percentile(50)), P99: ms(b.percentile(99)), PeakRSS: round(peakRSS()),
		First50: b.first50, Last50: b.last50, StartPerS: b.startPerS, ResumePerS: b.resumePerS}
	if seconds := b.took.Seconds(); seconds > 0 {
		r.StepsPerS = round(float64(b.steps) / seconds)
		r.CheckpointsPer = round(float64(b.commits) / seconds)
	}
	if b.sessions > 0 {
		r.RowsPerSession = round(float64(b.rows) / float64(b.sessions))
	}
	if b.perStep > 0 {
		r.MSPerStep = ms(b.mean() / time.Duration(b.perStep))
	}
	return r
}

// percentile is the nearest rank.
func (b *bench) percentile(p int) time.Duration {
	n := len(b.latencies)
	if n == 0 {
		return 0
	}
	return b.latencies[min(n-1, max(0, int(math.Ceil(float64(n*p)/100))-1))]
}

func (b *bench) mean() time.Duration {
	if len(b.latencies) == 0 {
		return 0
	}
	var sum time.Duration
	for _, l := range b.latencies {
		sum += l
	}
	return sum / time.Duration(len(b.latencies))
}

func ms(d time.Duration) float64 { return round(float64(d) / float64(time.Millisecond)) }

// round keeps three decimals: more is noise.
func round(f float64) float64 { return math.Round(f*1000) / 1000 }

func rate(n int, took time.Duration) *float64 {
	r := round(float64(n) / took.Seconds())
	return &r
}

// clean deletes what the workload has made.
func (b *bench) clean(ctx context.Context) error {
	for {
		list, err := b.store.ListSessions(ctx, engine.SessionQuery{Workflow: b.workflow, Limit: 500})
		if err != nil || len(list) == 0 {
			return b.cleanWorkflow(ctx, err)
		}
		err = together(ctx, len(list), 16, func(ctx context.Context, i int) error {
			for {
				done, err := b.store.DeleteSession(ctx, list[i].ID)
				if done || err != nil {
					return err
				}
			}
		})
		if err != nil {
			return fmt.Errorf("delete the sessions of %s: %w", b.workflow, err)
		}
	}
}

func (b *bench) cleanWorkflow(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	found, err := b.store.Workflows(ctx, []string{b.workflow}, nil)
	if err != nil || len(found) == 0 {
		return err
	}
	return b.engine.DeleteWorkflow(ctx, b.workflow, "")
}

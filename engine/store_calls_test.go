package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// meteredStore counts what sessions cost a store.
type meteredStore struct {
	engine.Store
	reads      atomic.Int64 // sessions read one by one
	commits    atomic.Int64 // checkpoints
	bytes      atomic.Int64 // of their states and counters
	extensions atomic.Int64 // of leases, by checkpoints and without
	searches   atomic.Int64 // for due sessions
}

func (s *meteredStore) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	s.searches.Add(1)
	return s.Store.Claim(ctx, o)
}

func (s *meteredStore) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	s.reads.Add(1)
	return s.Store.Session(ctx, id)
}

func (s *meteredStore) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	s.reads.Add(int64(len(ids)))
	return s.Store.SessionsByID(ctx, ids)
}

func (s *meteredStore) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	s.extensions.Add(int64(len(leases)))
	return s.Store.Extend(ctx, leases, by)
}

func (s *meteredStore) Commit(ctx context.Context, list []store.Checkpoint) ([]store.CommitResult, error) {
	for _, c := range list {
		s.commits.Add(1)
		s.bytes.Add(int64(len(c.State) + len(c.Counters)))
		if !c.Release && c.LeaseFor > 0 {
			s.extensions.Add(1)
		}
	}
	return s.Store.Commit(ctx, list)
}

// chain is a workflow of n steps in a row that pause for a moment each.
func chain(n int) *engine.Workflow {
	w := &engine.Workflow{ID: "chain", Steps: []engine.Step{{ID: "root"}}}
	last := "root"
	for i := range n {
		id := fmt.Sprint("s", i)
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "work"})
		w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: last, Target: id})
		last = id
	}
	return w
}

// runChains runs sessions of a chain to their ends, all at once, each awaited, with steps that
// take that long.
func runChains(t *testing.T, sessions, steps int, takes time.Duration, o engine.Options) *meteredStore {
	t.Helper()
	opened := &meteredStore{Store: memory.New(memory.Options{})}
	registry := engine.NewRegistry()
	engine.Register(registry, "work", func(context.Context, struct{}) (struct{}, error) {
		time.Sleep(takes)
		return struct{}{}, nil
	}, func(s *engine.Spec) { s.Effects = true })
	e := engine.New(opened, registry, o)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	stopEngine := enginetest.Start(t, e)
	if _, err := e.PutWorkflow(ctx, chain(steps), ""); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	for range sessions {
		go func() {
			s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "chain"})
			if err == nil && s.Status != engine.StatusComplete {
				err = fmt.Errorf("session %s is %s", s.ID, s.Status)
			}
			ended <- err
		}()
	}
	for range sessions {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	stopEngine()
	return opened
}

// TestWaitReadsNoSessionOfItsEngine: whoever waits for a session that this engine runs gets it from
// its runner. Reads of waiters were a third of what a chain cost the database.
func TestWaitReadsNoSessionOfItsEngine(t *testing.T) {
	const sessions = 40
	opened := runChains(t, sessions, 3, 500*time.Millisecond, engine.Options{})
	// One that got no place at its start is looked for until it is claimed.
	if reads := opened.reads.Load(); reads > sessions/2 {
		t.Errorf("%d sessions were read %d times", sessions, reads)
	}
}

// TestLeaseIsExtendedByTime: a checkpoint extends the lease when a third of it is gone, and
// once after the claim, since each extension moves the session in an index.
func TestLeaseIsExtendedByTime(t *testing.T) {
	quick := runChains(t, 1, 20, 0, engine.Options{})
	if quick.commits.Load() < 20 || quick.extensions.Load() != 1 {
		t.Errorf("20 quick steps: %d checkpoints, %d extended the lease, want 1", quick.commits.Load(), quick.extensions.Load())
	}
	slow := runChains(t, 1, 4, 150*time.Millisecond, engine.Options{LeaseFor: 300 * time.Millisecond})
	if slow.extensions.Load() < 4 {
		t.Errorf("4 steps of half a lease each: %d extensions, want one each at least", slow.extensions.Load())
	}
}

// TestAFullEngineSearchesLittle: an engine that is nearly full of one workflow frees a place with
// each of its steps, and more of the same workflow is due, which it may not take.
func TestAFullEngineSearchesLittle(t *testing.T) {
	const sessions, most = 30, 16
	began := time.Now()
	opened := runChains(t, sessions, 60, 200*time.Microsecond, engine.Options{MaxSessions: most})
	// Each claimed session may take a search of its own and one after it, others are 5 ms apart.
	want := 3*sessions + int64(time.Since(began)/(5*time.Millisecond)) + 10
	if searches := opened.searches.Load(); searches > want {
		t.Errorf("%d sessions of 60 steps: %d searches for due sessions in %s, want at most %d", sessions, searches, time.Since(began), want)
	}
}

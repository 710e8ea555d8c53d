package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Of a checkpoint that ceiling writes: what the middle of chain writes, which keeps the lease as it is.
const (
	ceilingState    = 1600 // bytes of state
	ceilingCounters = 500
	ceilingGroup    = 200 // rows in one commit
)

// heldFor is the lease of sessions that are written without an engine.
const heldFor = time.Hour

func ceiling() workload {
	return workload{name: "ceiling", play: func(ctx context.Context, b *bench) error { return b.playCeiling(ctx) }}
}

// playCeiling commits checkpoints of leased sessions as fast as the store takes them,
// with as many writers as an engine has. Each writer has sessions of its own.
func (b *bench) playCeiling(ctx context.Context) error {
	writers := max(2, runtime.NumCPU())
	held, err := b.claimed(ctx)
	if err != nil {
		return err
	}
	end := time.Now().Add(b.o.Time)
	b.sessions = len(held)
	err = b.timed(func() error {
		return together(ctx, writers, writers, func(ctx context.Context, w int) error {
			mine := share(held, w, writers)
			for n := 0; len(mine) > 0 && (n == 0 || time.Now().Before(end)); n++ {
				group := mine[:min(len(mine), ceilingGroup)]
				if err := b.commitGroup(ctx, group, n+1); err != nil {
					return err
				}
				mine = append(mine[len(group):], group...)
			}
			return nil
		})
	})
	return errors.Join(err, b.released(ctx, held))
}

// released gives the leases back: a session that is held cannot be deleted.
func (b *bench) released(ctx context.Context, held []*store.SessionRecord) error {
	leases := make([]store.LeaseRef, len(held))
	for i, s := range held {
		leases[i] = store.LeaseRef{Session: s.ID, Token: s.Lease}
	}
	return b.store.Release(ctx, leases)
}

// share is what one of several writers writes.
func share(held []*store.SessionRecord, w, writers int) []*store.SessionRecord {
	var mine []*store.SessionRecord
	for i := w; i < len(held); i += writers {
		mine = append(mine, held[i])
	}
	return mine
}

// claimed creates sessions leased to this process.
func (b *bench) claimed(ctx context.Context) ([]*store.SessionRecord, error) {
	fresh := make([]store.NewSession, b.o.Sessions)
	began := time.Now().UnixNano()
	for i := range fresh {
		id := fmt.Sprintf("bench-%d-%d", began, i)
		fresh[i] = store.NewSession{ID: id, Workflow: b.workflow, State: filler(ceilingState), Counters: json.RawMessage(`{}`),
			Status: engine.StatusActive, Root: id, Claim: &store.Lease{Token: "bench-" + id, Owner: "bench", For: heldFor}}
	}
	created, err := b.store.Create(ctx, fresh)
	if err != nil {
		return nil, err
	}
	held := make([]*store.SessionRecord, len(created))
	for i := range created {
		if created[i].Err != nil {
			return nil, created[i].Err
		}
		held[i] = &created[i].Session
	}
	return held, nil
}

func (b *bench) commitGroup(ctx context.Context, group []*store.SessionRecord, n int) error {
	rows := make([]store.Checkpoint, len(group))
	now := time.Now().UTC()
	for i, s := range group {
		seq := s.Version + 1
		rows[i] = store.Checkpoint{
			Session: s.ID, Version: s.Version, Lease: s.Lease, Transition: fmt.Sprintf("%s-%d", s.ID, seq),
			State: filler(ceilingState), Counters: filler(ceilingCounters), Status: engine.StatusActive,
			Records: store.Records{Executions: []engine.Execution{{ID: fmt.Sprintf("%s/%d", s.ID, seq), Session: s.ID, Seq: seq, Workflow: b.workflow,
				Step: place(n % chainLength), Visit: 1, Attempt: 1, Status: engine.StatusComplete, Function: effect,
				Input: json.RawMessage(`{"before":{"done":true}}`), Output: json.RawMessage(`{"done":true}`), StartedAt: now, FinishedAt: now}}},
		}
	}
	began := time.Now()
	results, err := b.store.Commit(ctx, rows)
	if err != nil {
		return err
	}
	took := time.Since(began)
	for i := range results {
		if results[i].Outcome != store.Committed {
			return fmt.Errorf("checkpoint of session %s was not written (outcome %d)", group[i].ID, results[i].Outcome)
		}
		group[i].Version++
		b.add(took, 1, 0)
	}
	return nil
}

// filler is a JSON object of about n bytes.
func filler(n int) []byte {
	return fmt.Appendf(nil, `{"data":"%s"}`, bytes.Repeat([]byte("x"), max(0, n-11)))
}

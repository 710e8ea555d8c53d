package session

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A session whose first steps are calls with effects is created with these calls listed, so its
// creation takes the place of its first checkpoint (ADR 47). The runner is made and its first wave
// run before the session exists; if it is created for this runner, the calls begin, otherwise the
// runner is dropped and nothing has happened.

// Newborn returns the runner of a session that its creation will lease to this engine, and puts the
// state with the first calls listed into y. It returns nil, and leaves y as it is, when the first
// wave does more than list calls: no function may run before the session is durable.
func Newborn(ctx context.Context, e *Env, y *Young, def *graph.Definition, seat Seat) *Runner {
	if y.Claim == nil || y.Counted.Messages() > 0 || !onlyCalls(e, y.Begun, def) {
		return nil
	}
	r := New(e, store.Claimed{Session: store.SessionRecord{ID: y.ID, Workflow: y.Workflow, Root: y.Root, Lease: y.Claim.Token, Status: y.Status},
		Now: e.Now()}, seat)
	r.ctx, r.def, r.readAt = ctx, def, def.ReadAt
	r.draft.state, r.draft.counters, r.stored = state.Read(y.Begun).Clone(), y.Counted.Clone(), y.Status
	r.state.CountVisitsIn(r.counters)
	r.waves.wave(ctx)
	if ctx.Err() != nil || !r.unwritten.listsOnly(r.draft) {
		return nil
	}
	cp := r.build(false)
	if cp.Status != y.Status || len(r.unwritten.starting) == 0 || len(cp.State) > e.MaxState {
		return nil
	}
	y.State, y.Counters, y.newborn = cp.State, cp.Counters, true
	return r
}

// onlyCalls reports whether every first step of a new session is a call with effects that needs
// nothing before it.
func onlyCalls(e *Env, begun *state.State, def *graph.Definition) bool {
	ids := begun.StepIDs()
	for _, id := range ids {
		step := def.Step(id)
		if step == nil || step.Inactive || step.Bypass || step.Approval || step.Function == "" {
			return false
		}
		if spec := e.Registry.Find(step.Function); spec == nil || !spec.Effects {
			return false
		}
	}
	return len(ids) > 0
}

// listsOnly reports whether a wave has decided nothing but which calls begin.
func (u *unwritten) listsOnly(d *draft) bool {
	return d.fault == nil && d.failing == "" && len(d.arrived) == 0 &&
		len(u.all)+len(u.messages)+len(u.events)+len(u.blobs)+len(u.drop)+len(u.stored)+len(u.children)+len(u.cancels) == 0
}

// Created tells the runner of Newborn that its session exists. The caller then starts it with Run.
func (r *Runner) Created(rec store.SessionRecord) {
	r.offset.Store(int64(time.Until(rec.UpdatedAt)))
	r.inbox = rec.Inbox
	r.known.Store(rec.Inbox)
	r.from = rec
	r.from.State, r.from.Counters = nil, nil
	r.extended = true // the listed calls are this runner's own
	r.durable()
}

// begin starts the calls with which the session was created, or goes on from the checkpoint of Preapply. If that write took so long that the
// definition is out of date, or the engine stops meanwhile, they are decided again.
func (r *Runner) begin(ctx context.Context) error {
	poked := false
	select {
	case <-r.poke:
		poked = true
	default:
	}
	if poked || r.inbox > r.counters.Seen() {
		if err := r.fetchRequests(ctx); err != nil {
			return err
		}
	}
	if time.Since(r.readAt) > r.e.ReadEvery || r.mustRest() {
		r.unqueueAll()
		r.unwritten.touch()
	}
	r.effects.startEffects(ctx)
	return nil
}

// GiveBack gives up the lease of a session that was created and is not run, because the engine
// stops, so that the calls that were listed and have not begun are not taken for lost. It reports whether
// the lease was given up; a runner that Newborn did not make leaves that to the caller.
func (r *Runner) GiveBack(ctx context.Context) bool {
	if r.def == nil {
		return false
	}
	r.ctx, r.stopNow = ctx, true
	r.unqueueAll()
	rested, err := r.write(ctx, true)
	return rested && err == nil
}

package session

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A request to a session at rest is written together with the first checkpoint after it, so an
// answer costs one write less (ADR 48). The runner applies the request and runs the waves up to that
// checkpoint before anything is written. If the session is still as it was read, the write counts and
// the runner goes on from it; otherwise the runner is dropped and nothing has happened.

// A Preapplied is the runner of a session at rest with a request applied, and the checkpoint that
// writes both.
type Preapplied struct {
	*Runner
	Checkpoint *store.Checkpoint
}

// Preapply applies a request to a session at rest: c has the record with the lease that the
// checkpoint will take and the inbox number of the request, and the request itself. given is
// the decoded state, which the runner changes. The result is nil if the request has to be delivered
// first: the session is not only waiting, or what follows reaches beyond the session and its history,
// or ctx has ended. ran reports whether steps have run.
func Preapply(ctx context.Context, e *Env, c store.Claimed, given *state.State, def *graph.Definition, seat Seat) (p *Preapplied, ran bool) {
	if c.Session.Version == 0 || len(c.Session.Counters) == 0 { // made by hand
		return nil, false
	}
	r := &Preapplied{Runner: New(e, c, seat)}
	r.ctx, r.def, r.readAt, r.trial = ctx, def, def.ReadAt, &trial{}
	if err := r.load(c.Session, given); err != nil || !r.awaitsOnly(c.Session.Inbox) {
		return nil, false
	}
	r.effects.noteLost()
	if err := r.takeRequests(ctx); err != nil {
		return nil, false
	}
	release, ok := r.firstCheckpoint(ctx)
	if !ok {
		return nil, true
	}
	cp := r.build(release)
	if !isOwn(cp) || len(cp.State) > e.MaxState || len(cp.Applied) != 1 || len(r.state.Notices()) > 0 || len(r.unwritten.cancels) > 0 {
		return nil, true
	}
	q := c.Requests[0]
	q.Outcome = cp.Applied[0].Outcome
	cp.Received, cp.Applied = &store.Arrival{Request: q, Owner: c.Session.LeaseOwner}, nil
	r.Checkpoint = cp
	return r, true
}

// awaitsOnly reports whether a session waits for the request with number n and for nothing else: it
// is not paused, no request before n is unread, and no time may come before the write.
func (r *Preapplied) awaitsOnly(n int64) bool {
	if r.state.Resting() || r.counters.Seen() != n-1 || len(r.state.Held()) > 0 {
		return false
	}
	for _, q := range r.state.Asks() {
		if q.Due > 0 {
			return false
		}
	}
	for _, l := range r.state.LiveSteps() {
		if l.RetryAt > 0 || l.Wait != nil && l.Wait.Due > 0 {
			return false
		}
	}
	return true
}

// firstCheckpoint runs waves up to the next checkpoint, as advance does, and reports whether that gives up
// the lease. It is not ok when there cannot be one.
func (r *Preapplied) firstCheckpoint(ctx context.Context) (release, ok bool) {
	for {
		progressed := r.waves.wave(ctx)
		switch {
		case ctx.Err() != nil || r.fault != nil:
			return false, false
		case len(r.arrived) > 0 || r.failing != "":
		case len(r.toStart) > 0 || r.unwritten.full(time.Now()):
			return false, true
		case !progressed && !r.unsettled:
			return true, true
		}
	}
}

// isOwn reports whether a checkpoint writes only its session, executions and messages.
func isOwn(c *store.Checkpoint) bool {
	return len(c.Children)+len(c.Blobs)+len(c.DropBlobs)+len(c.Results) == 0 && c.ToParent == nil
}

// Written tells the runner that its checkpoint, asked for at that time, is durable. It returns the
// session as it has come to rest, or nil if the caller has to start the runner with Run.
func (r *Preapplied) Written(asked time.Time, res store.CommitResult) (rest *store.SessionRecord) {
	tokens := r.trial.tokens
	r.trial = nil
	for _, ev := range tokens {
		r.e.Publish(ev)
	}
	return r.settled(r.Checkpoint, asked, res)
}

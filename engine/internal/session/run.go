package session

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Beginning is what the caller of Run already has of a session. Both fields may be nil.
type Beginning struct {
	// Definition waits for a read of the definition that began after the lease was taken, or with
	// the session's start.
	Definition func(context.Context) (*graph.Definition, error)
	// State is the decoded state of the claimed record. The runner changes it.
	State *state.State
}

// run advances the session until it is idle, its lease is lost, or the engine stops.
func (r *Runner) run(ctx context.Context, rec store.SessionRecord, b Beginning) error {
	if r.def != nil { // made by Newborn or Preapply
		if err := r.begin(ctx); err != nil {
			return err
		}
		return r.advance(ctx)
	}
	if err := r.load(rec, b.State); err != nil {
		return r.unreadable(ctx, rec, err)
	}
	if err := r.firstDefinition(ctx, b.Definition); err != nil {
		return err
	}
	r.effects.noteLost()
	if rec.Claims > maxClaims {
		r.poison(rec.Claims)
	}
	if err := r.takeRequests(ctx); err != nil {
		return err
	}
	return r.advance(ctx)
}

// advance runs waves and writes checkpoints until the session is idle.
func (r *Runner) advance(ctx context.Context) error {
	for {
		r.collectResults(ctx)
		if time.Since(r.readAt) > r.e.ReadEvery {
			if err := r.readDefinition(ctx); err != nil {
				return err
			}
		}
		if r.stopNow = r.mustRest(); r.stopNow {
			r.unqueueAll() // the steps stay active in the state: the engine that claims the session next starts them
			leaveQueues(r.running)
		}
		progressed := r.waves.wave(ctx)
		if r.fault != nil {
			return r.fault
		}
		// Visits that ended in this wave have paths to be followed. A checkpoint now would store
		// them as complete, and after a crash no engine would follow their paths.
		if len(r.arrived) > 0 || r.failing != "" {
			continue
		}
		if len(r.toStart) > 0 || r.unwritten.full(time.Now()) {
			if err := r.checkpoint(ctx); err != nil {
				return err
			}
			r.effects.startEffects(ctx)
		}
		// A checkpoint may have found requests, and applying one may have made a step active.
		// The session must not go idle before the next wave: nothing else would wake it.
		if progressed || r.unsettled {
			continue
		}
		rested, err := r.waitOrGoIdle(ctx)
		if rested || err != nil {
			return err
		}
	}
}

// maxClaims is how many claims in a row without a checkpoint a session may have before it is
// stopped as one that crashes its workers.
const maxClaims = 5

// waitOrGoIdle is called when nothing can be done now: it waits for calls under way, a timer or a
// request, or gives up the lease. rested is true when the lease was given up.
func (r *Runner) waitOrGoIdle(ctx context.Context) (rested bool, err error) {
	if len(r.running) == 0 {
		return r.goIdle(ctx)
	}
	if r.unwritten.dirty || len(r.state.Notices()) > 0 {
		r.unwritten.touch()
		if err := r.checkpoint(ctx); err != nil || r.unsettled {
			return false, err
		}
	}
	r.pace.waveEnded()
	r.known.Store(r.inbox)
	r.waiting.Store(true)
	defer r.waiting.Store(false)
	r.seat.Idle(true)
	defer r.seat.Idle(false)
	due, stop := r.untilTimer()
	defer stop()
	select {
	case res := <-r.results:
		r.arrive(res)
	case <-due:
		r.unsettled = true
	case <-r.poke:
		r.stopNow = r.mustRest()
		return false, r.fetchRequests(ctx)
	case <-r.lost:
		return false, ErrLost
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return false, nil
}

// untilTimer returns a channel that fires when the session's next timer is due while calls of
// other steps are under way, and a function that stops the timer.
func (r *Runner) untilTimer() (<-chan time.Time, func()) {
	next := r.nextTimer(true)
	if next.IsZero() {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(next.Add(-r.offset.get())))
	return t.C, func() { t.Stop() }
}

// unreadable records an error on a session whose state is not valid JSON or does not decode. The
// stored text stays as it is.
func (r *Runner) unreadable(ctx context.Context, rec store.SessionRecord, cause error) error {
	r.log.Error("state unreadable", logError, cause)
	_, err := r.e.Committer.Commit(ctx, &store.Checkpoint{
		Session: r.id, Version: r.version, Lease: r.lease, Transition: r.e.NewID(),
		Seen: rec.Inbox, Status: store.StatusError, Release: true,
		Awaiting: rec.Awaiting, AwaitingSince: rec.AwaitingSince,
	})
	return err
}

// poison ends a session that has crashed its workers several times in a row, with an error; the
// action `retry` continues it.
func (r *Runner) poison(claims int) {
	message := fmt.Sprintf("claimed %d times without a checkpoint: its workers died; see the logs, then retry", claims)
	for _, id := range r.waves.activeSteps(true) {
		r.fail(id, failure{kind: function.KindPoison, message: message, final: true})
	}
	if r.state.Failure() == nil {
		r.state.Fail(&function.SessionError{Kind: function.KindPoison, Message: message})
	}
	r.unwritten.dirty = true
}

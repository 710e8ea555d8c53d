package session

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Run moves the session on until it rests, its lease is lost, or ctx ends. def, if not nil, is a
// definition read for it. End has to be called after it.
func (r *Runner) Run(ctx context.Context, rec store.SessionRecord, def *graph.Definition) error {
	r.ctx, r.def = ctx, def
	return r.run(ctx, rec)
}

// End waits for the calls under way and reports those whose results were lost. err is what Run
// returned. It reports whether the lease is still to be given back.
func (r *Runner) End(err error) (release bool) {
	cause := err
	if cause == nil {
		cause = ErrStopped
	}
	late := r.effects.abandon(cause)
	switch {
	case err == nil:
	case errors.Is(err, ErrLost):
		r.log.Warn("lease lost", logError, err)
		r.reportLost(append(r.unwritten.results, late...))
	case errors.Is(err, ErrStopped):
		return true
	default:
		r.log.Error("session given up until its lease ends", logError, err)
	}
	return false
}

// ID is the session's id.
func (r *Runner) ID() string { return r.id }

// Workflow is the session's workflow.
func (r *Runner) Workflow() string { return r.workflow }

// Lease is the token by which the session is held.
func (r *Runner) Lease() store.LeaseRef { return store.LeaseRef{Session: r.id, Token: r.lease} }

// Version is the session's version after the last checkpoint.
func (r *Runner) Version() int64 { return r.version }

// Extended notes an extension of the lease that was asked for then.
func (r *Runner) Extended(asked time.Time) { r.beat.Store(asked.UnixNano()) }

// Waiting reports whether the session waits for calls, and up to which number it knows its inbox.
func (r *Runner) Waiting() (inbox int64, waiting bool) { return r.known.Load(), r.waiting.Load() }

// Poked reports whether a poke has come that Run did not look at, and forgets it.
func (r *Runner) Poked() bool {
	select {
	case <-r.poke:
		return true
	default:
		return false
	}
}

// Stop asks the session to go to rest: the engine stops.
func (r *Runner) Stop() {
	r.stopping.Store(true)
	r.Poke()
}

// reportLost leaves word of calls whose results could not be recorded because another
// worker has the session: their effects may have happened twice, and people must see it. A
// call that was told to stop counts too, its effect may have happened before; one that
// never left the queue does not.
func (r *Runner) reportLost(late []attemptResult) {
	for _, res := range late {
		if !res.made {
			continue
		}
		body, err := jsontext.Marshal(lostCall{
			Step: res.attempt.step, Visit: res.attempt.call_.Visit, Attempt: res.attempt.call_.Attempt, Key: res.attempt.call_.Key,
			Function: res.attempt.spec.Name, Output: jsontext.Cut(res.output), Error: errorText(res.err),
			Started: res.started.UnixMilli(), Finished: res.finished.UnixMilli(),
		})
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(r.ctx), r.e.StopGrace, ErrStopped)
		_, err = r.e.Committer.Deliver(ctx, store.Delivery{Session: r.id, Key: r.e.NewID(), Decide: func(store.InboxView) (*store.Request, error) {
			return &store.Request{Kind: store.RequestLost, Step: res.attempt.step, Visit: res.attempt.call_.Visit, Body: body}, nil
		}})
		cancel()
		if err != nil && !errors.Is(err, store.ErrSessionNotFound) {
			r.log.Warn("lost call not recorded", logStep, res.attempt.step, logError, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package session

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Run advances the session until it is idle, its lease is lost, or ctx ends. The caller has to
// call End afterwards.
func (r *Runner) Run(ctx context.Context, rec store.SessionRecord, b Beginning) error {
	r.ctx = ctx
	return r.run(ctx, rec, b)
}

// End waits for the calls under way and reports those whose results were lost. err is the error
// that Run returned. release is true when the caller still has to give the lease back.
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

// ID returns the session's id.
func (r *Runner) ID() string { return r.id }

// Workflow returns the id of the session's workflow.
func (r *Runner) Workflow() string { return r.workflow }

// Lease returns the token that identifies the lease.
func (r *Runner) Lease() store.LeaseRef { return store.LeaseRef{Session: r.id, Token: r.lease} }

// Version returns the session's version after the last checkpoint.
func (r *Runner) Version() int64 { return r.version }

// Extended records that a lease extension was requested at the given time.
func (r *Runner) Extended(asked time.Time) { r.beat.Store(asked.UnixNano()) }

// Waiting reports whether the session waits for calls, and the newest inbox number that it knows.
func (r *Runner) Waiting() (inbox int64, waiting bool) { return r.known.Load(), r.waiting.Load() }

// Poked reports, and clears, a poke that arrived after Run last read the inbox.
func (r *Runner) Poked() bool {
	select {
	case <-r.poke:
		return true
	default:
		return false
	}
}

// Stop asks the session to give up its lease because the engine stops.
func (r *Runner) Stop() {
	r.stopping.Store(true)
	r.Poke()
}

// reportLost records calls whose results could not be stored because another worker has taken the
// session: their effects may have happened twice, and people must see that. A call that was told
// to stop counts too, since its effect may have happened before; one that was never
// made does not.
func (r *Runner) reportLost(late []attemptResult) {
	for _, res := range late {
		if !res.made {
			continue
		}
		body, err := jsontext.Marshal(lostCall{
			Step: res.attempt.step, Visit: res.attempt.callInfo.Visit, Attempt: res.attempt.callInfo.Attempt, Key: res.attempt.callInfo.Key,
			Function: res.attempt.spec.Name, Output: jsontext.Cut(res.output), Error: errorText(res.err),
			Started: res.started.UnixMilli(), Finished: res.finished.UnixMilli(),
		})
		if err != nil {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(r.ctx), r.e.StopGrace, ErrStopped)
		_, err = r.e.Committer.Deliver(ctx, store.Delivery{Session: r.id, Key: r.e.NewID(), Decide: func(store.InboxView) (*store.Request, error) {
			return &store.Request{Kind: store.RequestLost, Step: res.attempt.step, Visit: res.attempt.callInfo.Visit, Body: body}, nil
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

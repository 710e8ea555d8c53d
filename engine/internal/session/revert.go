package session

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// revert drops the draft and begins a new one from the stored session. Results of calls that
// ended meanwhile are real and arrive again; calls under way go on. The requests that the dropped
// draft had applied are unapplied again; the caller reads them anew, with those that arrived
// since.
func (r *Runner) revert(ctx context.Context) error {
	rec, err := retry.Do(ctx, func() (*store.SessionRecord, error) { return r.e.Store.Session(ctx, r.id) })
	if err != nil {
		return fmt.Errorf("go back to the last checkpoint: %w", err)
	}
	if rec.Lease != r.lease || rec.Version != r.version {
		return ErrLost
	}
	results, notified := r.unwritten.results, r.unwritten.notified
	*r.draft = draft{unsettled: true}
	if err := r.load(*rec, nil); err != nil {
		return err
	}
	r.inbox = rec.Inbox
	if !r.extended { // no checkpoint written yet: the listed calls belong to the previous engine
		r.effects.noteLost()
	}
	for i := range results {
		r.arrive(results[i])
	}
	if notified {
		r.noticesSent()
	}
	return nil
}

// overflow ends a session whose state exceeds the size limit: the session returns to the state of
// the last checkpoint, with the error. Calls that ended since are recorded nevertheless, and
// requests are marked as not applied.
func (r *Runner) overflow(ctx context.Context, size int) error {
	message := fmt.Sprintf("the state would have %d bytes, at most %d are kept; keep large data outside and pass references", size, r.e.MaxState)
	applied, answered, seen := r.unwritten.applied, r.unwritten.answered, r.counters.Seen()
	if err := r.revert(ctx); err != nil {
		return err
	}
	ended := r.arrived
	r.arrived, r.overflowed = nil, true
	for i := range applied {
		applied[i].Outcome = "not applied: " + message
	}
	r.unwritten.applied = applied
	r.counters.See(seen)
	problem := failure{kind: function.KindTooLarge, message: message, final: true}
	for _, a := range ended {
		r.failCall(a.result, problem)
	}
	for _, a := range r.running {
		r.unwritten.cancels = append(r.unwritten.cancels, cancelledCall{a, &function.CallError{Kind: function.KindTooLarge, Message: "the session's state is too large"}})
	}
	for _, id := range slices.Sorted(maps.Keys(answered)) { // a retry asks the question again
		if r.state.Status(id) == store.StatusAwaitingInput {
			r.fail(id, problem)
		}
	}
	for _, id := range r.waves.activeSteps(true) {
		r.fail(id, problem)
	}
	r.state.Fail(&function.SessionError{Kind: function.KindTooLarge, Message: message})
	r.unwritten.touch()
	return nil
}

// failCall fails the step of a call that has ended, and records the result of the call in the
// history.
func (r *Runner) failCall(res *attemptResult, problem failure) {
	step := res.attempt.step
	if l := r.state.Live(step); l == nil || l.Visit != res.attempt.callInfo.Visit || r.state.Status(step) != store.StatusActive {
		r.recordLate(res)
		return
	}
	problem.info, problem.output = res.info(), res.output
	r.fail(step, problem)
}

package engine

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
)

// A draft is everything a runner has decided since the last checkpoint that was written: the
// state and the counters with all that hangs on them (statuses, timers, rounds of containers,
// what a parent was notified of), the requests taken from the inbox, finished visits whose
// paths are still to be followed, effects to be started, calls to be cancelled, and the
// records of the next checkpoint.
//
// The store may refuse that checkpoint, because a request came first (see
// Checkpoint.Closing). Then none of it has happened. Taking back single decisions does not
// work: each place that decides something would have to remember it, and the one that
// forgets leaves a parent waiting for ever. Leaving the decisions and applying the new
// requests on top does not work either: an answer would meet a question that is closed. So
// a refused draft is dropped as a whole (see revert), and whatever belongs to the session's
// decisions has to be a field of this type. What is left on the runner has really happened,
// or says nothing about the session: the lease, calls under way, caches.
type draft struct {
	state    *State
	counters *state.Counters

	requests  []Request                 // taken from the inbox, to be applied in order
	arrived   []arrival                 // ended visits and results that wait for the next wave
	toStart   []*attempt                // effects to start after the next checkpoint
	unwritten unwritten                 // what the next checkpoint carries
	rounds    map[string][]StoredResult // of containers, by step and visit

	open       map[string]state.AskRef // questions that were open in the last written checkpoint, by step
	stateBytes int                     // of the state's text, as far as outputs make it grow
	failing    string                  // the step that fails the session when its wave is over
	chat       []Message               // the messages of the state when the wave began
	unsettled  bool                    // something was decided outside a wave: no rest before the next one
	lookedAt   int64                   // the clock of the newest wave, ms: timers up to then have had their chance
	overflowed bool                    // the state had grown too large, see overflow
	fault      error                   // a read that decisions rest on has failed: never written
}

// closes reports whether the draft closes a question other than by its answer. An answer
// that was accepted meanwhile then comes first.
func (d *draft) closes() bool {
	if d.unwritten.closing {
		return true
	}
	for step, was := range d.open {
		if !d.state.IsOpen(step, was) && d.unwritten.answered[step] != was {
			return true
		}
	}
	return false
}

// revert drops the draft and begins a new one from what the store holds. Results of calls
// that have ended meanwhile have happened: they arrive again. Calls under way go on. The
// requests that the dropped draft had applied are unapplied again; the caller reads them
// anew, with those that came since.
func (r *runner) revert(ctx context.Context) error {
	rec, err := retry.Do(ctx, func() (*SessionRecord, error) { return r.e.store.Session(ctx, r.id) })
	if err != nil {
		return fmt.Errorf("go back to the last checkpoint: %w", err)
	}
	if rec.Lease != r.lease || rec.Version != r.version {
		return errLost
	}
	results, notified := r.unwritten.results, r.unwritten.notified
	r.draft = draft{unsettled: true}
	if err := r.load(*rec); err != nil {
		return err
	}
	r.inbox = rec.Inbox
	if !r.extended { // nothing is written yet: the calls listed are those of the engine before
		r.noteLost()
	}
	for i := range results {
		r.arrive(results[i])
	}
	if notified {
		r.noticesSent()
	}
	return nil
}

// required makes a read of the store that a decision rests on. It is repeated while the store
// is away; when it fails for good, or the runner ends, the draft is spoiled: nothing of it
// will be written, and the session is taken up again from its last checkpoint.
func required[T any](r *runner, read func() (T, error)) (T, bool) {
	out, err := retry.Do(r.ctx, read)
	if err != nil {
		r.spoil(err)
	}
	return out, err == nil
}

// repeat is required for reads whose final errors are an outcome of their own: only a store
// that stays away spoils the draft.
func (r *runner) repeat(read func() error) error {
	_, err := retry.Do(r.ctx, func() (struct{}, error) { return struct{}{}, read() })
	if err != nil && (retry.Transient(err) || r.ctx.Err() != nil) {
		r.spoil(err)
	}
	return err
}

// spoil keeps the draft from ever being written.
func (r *runner) spoil(err error) {
	if r.fault == nil {
		r.fault = err
	}
}

// finished reports whether the session has come to its end as far as is decided: nothing is
// live, and no finished visit has its paths still to be followed.
func (r *runner) finished() bool {
	return len(r.arrived) == 0 && ended(r.state.SessionStatus())
}

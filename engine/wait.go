package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
)

// Wait returns a session when it is idle: every request in its inbox is applied, and only an
// answer or an operator's action can continue it. It returns ctx's error if ctx ends first; the
// session continues.
func (e *Engine) Wait(ctx context.Context, id string) (*Session, error) {
	w, stop := e.events.watchRest(id)
	defer stop()
	look := !e.holds(id) // if this engine holds it, its runner reports when it comes to rest
	for attempt := 0; ; attempt++ {
		if look {
			rec, err := e.committer.Session(ctx, id)
			if err == nil && rests(rec) {
				s, err := e.wholeView(ctx, rec)
				if err != nil || !s.parent || s.Status != StatusActive {
					return s, err
				}
				attempt = 0 // its child sessions are running
			}
			if err != nil && !retry.Transient(err) {
				return nil, err
			}
		}
		var err error
		if look, err = e.nextChange(ctx, w, id, attempt); err != nil {
			return nil, err
		}
	}
}

// heldEvery is how often a session that this engine holds is read nevertheless: its runner reports
// when it comes to rest, unless another engine has taken the session over.
const heldEvery = 10 * time.Second

// nextChange waits until the session may have changed, and reports whether to read it. If this
// engine holds the session, its runner reports the change; otherwise the session is read at
// growing intervals.
func (e *Engine) nextChange(ctx context.Context, w *watcher, id string, attempt int) (look bool, err error) {
	every, held := heldEvery, e.holds(id)
	if !held {
		every = min(watchEvery, 5*time.Millisecond<<min(attempt, 8))
	}
	t := time.NewTimer(every)
	defer t.Stop()
	select {
	case <-w.rested:
		return true, nil
	case <-w.below:
		return true, nil
	case <-t.C:
		return held || !e.holds(id), nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// rests reports whether no worker holds the session and it does not continue by itself: it is due
// for no engine, or only a deadline is left of it, with no active step and no unread request.
func rests(rec *SessionRecord) bool {
	if rec.Lease != "" || rec.Status == "" && rec.Version == 0 {
		return false
	}
	if rec.Status == StatusPending && rec.DueAt.IsZero() {
		if st, err := state.ReadOnly(rec.ID, rec.State); err == nil && st.InQueue(rec) {
			return false // it waits for its turn
		}
	}
	if rec.DueAt.IsZero() { // no engine will claim it by itself, whatever its state contains
		return true
	}
	counted, err := state.ParseCounters(rec.ID, rec.Counters)
	if err != nil {
		return true
	}
	return rec.Inbox <= counted.Seen() && rec.Status != StatusActive
}

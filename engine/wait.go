package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Wait returns a session when it is idle: every request in its inbox is applied, and only an
// answer or an operator's action can continue it. It returns ctx's error if ctx ends first; the
// session continues.
func (e *Engine) Wait(ctx context.Context, id string) (*Session, error) {
	return (&waiting{e: e, id: id}).wait(ctx)
}

// WaitAfter is Wait for a session as Start, Answer or Act returned it: it returns the session when it
// is idle after that. It does not read a session that this engine runs: the runner hands over what it
// has written.
func (e *Engine) WaitAfter(ctx context.Context, s *Session) (*Session, error) {
	return (&waiting{e: e, id: s.ID, after: s.after, rest: s.rest}).wait(ctx)
}

// A waiting waits until one session is idle.
type waiting struct {
	e     *Engine
	id    string
	after int64                // see Session.after; 0 if the caller has shown no session
	rest  *store.SessionRecord // see Session.rest; looked at once, before any read
	w     *watcher
}

func (s *waiting) wait(ctx context.Context) (*Session, error) {
	w, stop := s.e.events.watchRest(s.id)
	defer stop()
	s.w = w
	look := s.rest != nil || !s.e.holds(s.id) // if this engine holds it, its runner reports when it comes to rest
	for attempt := 0; ; attempt++ {
		if look {
			rec, err := s.record(ctx)
			if err == nil && rests(rec) {
				view, err := s.e.viewWithChildren(ctx, rec)
				if err != nil || !view.parent || view.Status != StatusActive {
					return view, err
				}
				attempt = 0 // its child sessions are running
			}
			if err != nil && !retry.Transient(err) {
				return nil, err
			}
		}
		var err error
		if look, err = s.nextChange(ctx, attempt); err != nil {
			return nil, err
		}
	}
}

// record returns the session as its runner has handed it over, or as it is stored. What a runner
// hands over may come late: it counts only if it has applied the request that the caller has made.
func (s *waiting) record(ctx context.Context) (*store.SessionRecord, error) {
	if rest := s.rest; rest != nil {
		s.rest = nil
		if rests(rest) {
			return rest, nil
		}
	}
	if rest := s.e.events.takeRest(s.w); rest != nil && s.after > 0 && rest.Inbox+1 >= s.after && rests(rest) {
		return rest, nil
	}
	return s.e.committer.Session(ctx, s.id)
}

// heldEvery is how often a session that this engine holds is read nevertheless: its runner reports
// when it comes to rest, unless another engine has taken the session over.
const heldEvery = 10 * time.Second

// nextChange waits until the session may have changed, and reports whether to look at it. If this
// engine holds the session, its runner reports the change; otherwise the session is read at
// growing intervals.
func (s *waiting) nextChange(ctx context.Context, attempt int) (look bool, err error) {
	every, held := heldEvery, s.e.holds(s.id)
	if !held {
		every = min(watchEvery, 5*time.Millisecond<<min(attempt, 8))
	}
	t := time.NewTimer(every)
	defer t.Stop()
	select {
	case <-s.w.rested:
		return true, nil
	case <-s.w.below:
		return true, nil
	case <-t.C:
		return held || !s.e.holds(s.id), nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// rests reports whether no worker holds the session and it does not continue by itself: it is due
// for no engine, or only a deadline is left of it, with no active step and no unread request.
func rests(rec *store.SessionRecord) bool {
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

package engine

import (
	"context"
	"time"
)

// Wait returns a session once it rests: everything in its inbox has been applied and
// only an answer, a retry by a person or nothing at all can move it. It returns ctx's
// error when that comes first; the session goes on.
func (e *Engine) Wait(ctx context.Context, id string) (*Session, error) {
	w, stop := e.events.watch(id)
	defer stop()
	for attempt := 0; ; attempt++ {
		rec, err := e.store.Session(ctx, id)
		if err == nil && rests(rec) {
			s, err := e.wholeView(ctx, rec)
			if err != nil || !s.parent || s.Status != StatusActive {
				return s, err
			}
			attempt = 0 // its child sessions go on
		}
		if err != nil && !transient(err) {
			return nil, err
		}
		if err := e.nextChange(ctx, w, id, attempt); err != nil {
			return nil, err
		}
	}
}

// nextChange waits until something may have happened to the session: told at once when
// this engine holds it, else looked for at growing intervals.
func (e *Engine) nextChange(ctx context.Context, w *watcher, id string, attempt int) error {
	every := watchEvery
	if !e.holds(id) {
		every = min(watchEvery, 5*time.Millisecond<<min(attempt, 8))
	}
	t := time.NewTimer(every)
	defer t.Stop()
	for {
		select {
		case ev := <-w.events:
			if ev.rested {
				return nil
			}
		case <-w.missed:
			return nil
		case <-w.below:
			return nil
		case <-t.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// rests tells whether nobody is at work on a session and nothing in it is due by itself.
func rests(rec *SessionRecord) bool {
	if rec.Lease != "" || rec.Status == "" && rec.Version == 0 {
		return false
	}
	if rec.DueAt.IsZero() { // nobody will take it up by itself, whatever its state says
		return true
	}
	counted, err := parseCounters(rec.ID, rec.Counters)
	if err != nil {
		return true
	}
	return rec.Inbox <= counted.Seen && rec.Status != StatusActive
}

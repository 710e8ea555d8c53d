package session

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// takeRequests applies what the inbox holds, in order, and forgets it.
func (r *Runner) takeRequests(ctx context.Context) error {
	if r.inbox > r.counters.Seen() && !r.haveUpTo(r.inbox) {
		if err := r.readInbox(ctx); err != nil {
			return err
		}
	}
	if r.state.Paused() == nil && len(r.state.Held()) > 0 { // a person's edit has lifted the pause
		r.requests.applyHeld()
		r.unsettled = true
		r.unwritten.touch()
	}
	for i := range r.unapplied {
		r.requests.apply(&r.unapplied[i])
	}
	r.unapplied = nil
	return nil
}

// fetchRequests reads what has come into the inbox while the session ran, with a
// definition read after it, and applies it.
func (r *Runner) fetchRequests(ctx context.Context) error {
	if err := r.readInbox(ctx); err != nil {
		return err
	}
	if len(r.unapplied) == 0 {
		return nil
	}
	if r.unwritten.dirty && (r.closes() || store.Ended(r.state.SessionStatus())) {
		// The end, or the closing of a question, is decided and not written: the store would
		// refuse it. The requests come first.
		if err := r.revert(ctx); err != nil {
			return err
		}
		if err := r.readInbox(ctx); err != nil {
			return err
		}
	}
	if err := r.readDefinition(ctx); err != nil {
		return err
	}
	return r.takeRequests(ctx)
}

func (r *Runner) readInbox(ctx context.Context) error {
	found, err := retry.Do(ctx, func() (map[string][]store.Request, error) {
		return r.e.Store.Requests(ctx, []store.InboxAfter{{Session: r.id, N: r.counters.Seen()}})
	})
	if err != nil {
		return fmt.Errorf("read inbox: %w", err)
	}
	r.unapplied = found[r.id]
	for _, q := range r.unapplied {
		r.inbox = max(r.inbox, q.N)
	}
	return nil
}

// haveUpTo tells whether the requests at hand reach from the first not seen to n.
func (r *Runner) haveUpTo(n int64) bool {
	next := r.counters.Seen() + 1
	for _, q := range r.unapplied {
		if q.N == next {
			next++
		}
	}
	return next > n
}

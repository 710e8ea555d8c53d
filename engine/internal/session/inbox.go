package session

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// takeRequests applies the requests from the inbox in order and empties the list.
func (r *Runner) takeRequests(ctx context.Context) error {
	if r.inbox > r.counters.Seen() && !r.haveUpTo(r.inbox) {
		if err := r.readInbox(ctx); err != nil {
			return err
		}
	}
	if r.state.Paused() == nil && len(r.state.Held()) > 0 { // an edit of the state has lifted the pause
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

// fetchRequests reads the requests that arrived while the session ran, reads the definition after
// them, and applies them.
func (r *Runner) fetchRequests(ctx context.Context) error {
	if err := r.readInbox(ctx); err != nil {
		return err
	}
	if len(r.unapplied) == 0 {
		return nil
	}
	if r.unwritten.dirty && (r.closes() || store.Ended(r.state.SessionStatus())) {
		// The draft ends the session or closes a question and is not written: the store would refuse
		// it. So the requests are applied first.
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

// haveUpTo reports whether the requests in memory are complete from the first unseen one to number n.
func (r *Runner) haveUpTo(n int64) bool {
	next := r.counters.Seen() + 1
	for _, q := range r.unapplied {
		if q.N == next {
			next++
		}
	}
	return next > n
}

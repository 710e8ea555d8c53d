package engine

import (
	"context"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
)

// takeRequests applies what the inbox holds, in order, and forgets it.
func (r *runner) takeRequests(ctx context.Context) error {
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
func (r *runner) fetchRequests(ctx context.Context) error {
	if err := r.readInbox(ctx); err != nil {
		return err
	}
	if len(r.unapplied) == 0 {
		return nil
	}
	if r.unwritten.dirty && (r.closes() || ended(r.state.SessionStatus())) {
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

func (r *runner) readInbox(ctx context.Context) error {
	found, err := retry.Do(ctx, func() (map[string][]Request, error) {
		return r.e.store.Requests(ctx, []InboxAfter{{Session: r.id, N: r.counters.Seen()}})
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
func (r *runner) haveUpTo(n int64) bool {
	next := r.counters.Seen() + 1
	for _, q := range r.unapplied {
		if q.N == next {
			next++
		}
	}
	return next > n
}

// requests are what people and other sessions ask of a session: answers, signals, the actions
// of operators, the ends of child sessions.
type requests struct {
	*visits
	joins     *joins
	children  *children
	waits     *waits
	questions *questions
}

// apply does what one request asks for and marks it. A request below what has been seen
// was applied in an earlier checkpoint.
func (r *requests) apply(q *Request) {
	if q.N <= r.counters.Seen() {
		return
	}
	r.counters.See(q.N)
	r.unsettled = true
	if ofPerson(q) {
		r.person.Store(true)
	}
	outcome, held := r.outcome(q)
	if !held {
		r.unwritten.applied = append(r.unwritten.applied, RequestOutcome{ID: q.ID, Outcome: outcome})
	}
	r.unwritten.touch()
}

// outcome applies a request; held is true for an answer that waits for the end of a
// pause.
func (r *requests) outcome(q *Request) (text string, held bool) {
	if q.Applied {
		return q.Outcome, false // an edit of the state is applied when it is written
	}
	if r.state.Cancelled() != nil && q.Kind != RequestLost {
		return "the session was cancelled before", false
	}
	switch q.Kind {
	case RequestAnswer:
		if r.state.Paused() != nil {
			r.state.Hold(state.HeldAnswer{N: q.N, Step: q.Step, Visit: q.Visit, Ask: q.Ask})
			return "", true
		}
		return r.answered(q), false
	case RequestLost:
		return r.applyLost(q), false
	}
	return r.steer(q), false
}

// answered applies an answer and notes that its question was closed by it.
func (r *requests) answered(q *Request) string {
	if ref := (state.AskRef{Visit: q.Visit, Ask: q.Ask}); r.state.IsOpen(q.Step, ref) {
		r.unwritten.answer(q.Step, ref)
	}
	return r.questions.applyAnswer(q)
}

// applyHeld applies the answers that were given during a pause: when it is lifted, and before
// a request that closes questions, which came after them.
func (r *requests) applyHeld() {
	held := r.state.Held()
	if len(held) == 0 {
		return
	}
	found, ok := required(r.ledger, func() (map[string][]Request, error) {
		return r.e.store.Requests(r.ctx, []InboxAfter{{Session: r.id, N: held[0].N - 1}})
	})
	if !ok {
		return
	}
	r.state.ReleaseHeld()
	for _, q := range found[r.id] {
		if i := sort.Search(len(held), func(i int) bool { return held[i].N >= q.N }); i < len(held) && held[i].N == q.N {
			r.unwritten.applied = append(r.unwritten.applied, RequestOutcome{ID: q.ID, Outcome: r.answered(&q)})
		}
	}
}

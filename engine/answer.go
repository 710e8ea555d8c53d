package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Answer answers an open question or an approval. It returns when the answer is durable, with
// the accepted answer; see Wait for its effect. Without a step, the answer is for the question
// that has waited longest, answered or not, so that a repeated request never answers the next
// question. Errors: ErrSessionNotFound, ErrStepNotFound, ErrNoOpenQuestion, ErrAlreadyAnswered,
// ErrKeyReused, ErrAnswerInvalid with the faults.
func (e *Engine) Answer(ctx context.Context, q AnswerRequest) (*Session, error) {
	if len(q.Response) == 0 {
		return nil, &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/response", Message: "is missing"}}}
	}
	if len(q.Response) > e.o.MaxOutput {
		return nil, store.Detailf(ErrTooLarge, "response has %d bytes, at most %d are taken", len(q.Response), e.o.MaxOutput)
	}
	q.Key = store.EscapeKey(q.Key)
	a := acceptance{q: q}
	delivered, err := e.accept(ctx, &a)
	if errors.Is(err, ErrNoOpenQuestion) && q.Visit == 0 && q.Ask == 0 {
		below, belowErr := e.answerBelow(ctx, q)
		if belowErr != nil {
			return nil, belowErr
		}
		if below != "" {
			q.Session = below
			return e.Answer(ctx, q)
		}
	}
	if err != nil {
		return nil, e.explainAnswer(ctx, &a, err)
	}
	s, err := e.viewOf(ctx, &delivered.Session, &a.read, requestsOf(&delivered)...)
	if err != nil {
		return nil, err
	}
	s.after, s.rest = delivered.Session.Inbox+1, a.rest
	s.Accepted = a.accepted(delivered.Request)
	s.Replayed = s.Accepted.Replayed
	for i := range s.Awaiting {
		if w := &s.Awaiting[i]; w.Step == s.Accepted.Step && w.Visit == s.Accepted.Visit && w.Ask == s.Accepted.Ask {
			w.Answered = true
		}
	}
	return s, nil
}

// requestsOf returns the requests in a session's inbox that a delivery has seen.
func requestsOf(d *store.Delivered) []Request {
	switch {
	case d.Claimed != nil:
		return d.Claimed.Requests // with the new one
	case d.Request != nil:
		return []Request{*d.Request}
	}
	return nil
}

// accept puts an answer into its session's inbox.
func (e *Engine) accept(ctx context.Context, a *acceptance) (store.Delivered, error) {
	key := keyOr(a.q.Key, e.o.NewID)
	if delivered, err := answerAtRest(ctx, e, a, key); delivered != nil || err != nil {
		return *cmp.Or(delivered, &store.Delivered{}), err
	}
	return e.deliver(ctx, &a.read, store.Delivery{Session: a.q.Session, Key: key, Decide: a.decide})
}

// explainAnswer distinguishes a step that does not exist from one that does not wait. It reads the
// workflow only when the error depends on it.
func (v *views) explainAnswer(ctx context.Context, a *acceptance, err error) error {
	if !a.strange {
		return err
	}
	rec, readErr := v.store.Session(ctx, a.q.Session)
	if readErr != nil {
		return err
	}
	def, readErr := v.definitions.Recent(ctx, cmp.Or(rec.Workflow, graph.DefaultWorkflow), viewDefinitionAge)
	if readErr != nil || def.Step(a.q.Step) != nil {
		return err
	}
	return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("%q", a.q.Step), Exists: def.IDs()}
}

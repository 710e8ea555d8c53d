package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Act steers one session: pause, resume, cancel, retry, advance, move, reask, signal. It returns
// once the request is durable. Errors: ErrSessionNotFound, ErrSessionEnded when the action does
// not apply to an ended session, ErrStepNotFound, ErrKeyReused, ErrBadRequest.
func (e *Engine) Act(ctx context.Context, a Action) (*Session, error) {
	if !slices.Contains(actions, a.Kind) {
		return nil, store.Detailf(ErrBadRequest, "%q is nothing a session can do", a.Kind)
	}
	if err := e.checkAction(ctx, &a); err != nil {
		return nil, err
	}
	body, err := jsontext.Marshal(session.ActionBody{Reason: a.Reason, Step: a.Step, Visit: a.Visit, To: a.To, Name: a.Name, Body: a.Body, NewKey: a.NewKey})
	if err != nil {
		return nil, store.Detailf(ErrBadRequest, "%v", err)
	}
	a.Key = store.EscapeKey(a.Key)
	replayed, read := false, opened{}
	delivered, err := e.deliver(ctx, &read, store.Delivery{Session: a.Session, Key: keyOr(a.Key, e.o.NewID), Decide: func(v store.InboxView) (*Request, error) {
		replayed = false
		hash := steeringHash(a.Kind, body)
		if v.Same != nil {
			if v.Same.Kind != a.Kind || v.Same.BodyHash != hash {
				return nil, store.Detailf(ErrKeyReused, "idempotency key %q was used for another request to this session", a.Key)
			}
			replayed = true
			return nil, nil
		}
		st, err := read.of(&v.Session)
		if err := session.MayActIn(st, err, a.Kind, &v.Session); err != nil {
			return nil, err
		}
		if a.Kind == RequestSignal {
			if err := admitSignal(&v, st, a.Name); err != nil {
				return nil, err
			}
		}
		return &Request{Kind: a.Kind, Step: a.Step, Body: body, BodyHash: hash, By: a.By}, nil
	}})
	if err != nil {
		return nil, err
	}
	s, err := e.viewOf(ctx, &delivered.Session, &read, requestsOf(&delivered)...)
	if err != nil {
		return nil, err
	}
	s.after = delivered.Session.Inbox + 1
	s.Replayed = replayed && a.Key != ""
	return s, nil
}

// checkAction checks that an action names the steps it needs and that they exist. Errors:
// ErrBadRequest, ErrStepNotFound.
func (e *Engine) checkAction(ctx context.Context, a *Action) error {
	need := ""
	switch a.Kind {
	case RequestAdvance:
		if need = a.Step; need == "" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/step", Message: "is missing: which step's paths shall be evaluated again?"}}}
		}
	case RequestMove:
		if need = a.To; need == "" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/to", Message: "is missing: to which step?"}}}
		}
	case RequestRollback:
		if need = a.Step; need == "" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/step", Message: "is missing: to before which step's visit?"}}}
		}
		if a.To != "" {
			need = a.To
		}
	case RequestSignal:
		if a.Name == "" {
			return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/name", Message: "is missing"}}}
		}
	}
	if len(a.Body) > 0 && !json.Valid(a.Body) {
		return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/body", Message: "is not valid JSON"}}}
	}
	if need == "" {
		return nil
	}
	rec, err := e.store.Session(ctx, a.Session)
	if err != nil {
		return explainDelivery(err, a.Session)
	}
	def, err := e.definitions.Read(ctx, cmp.Or(rec.Workflow, graph.DefaultWorkflow), need)
	if err != nil {
		return err
	}
	if def.Step(need) == nil {
		return &DetailError{Err: ErrStepNotFound, Detail: need, Exists: def.IDs()}
	}
	if a.Kind == RequestMove {
		return checkMove(rec, def, a)
	}
	return nil
}

// checkMove refuses a move into a container's body when the stored session is not inside that
// container. The holder of the lease checks again when it applies the move.
func checkMove(rec *store.SessionRecord, def *graph.Definition, a *Action) error {
	st, err := ParseState(rec.ID, rec.State)
	if err != nil {
		return nil // the delivery reports the error
	}
	from := a.Step
	if from == "" {
		from = st.StuckStep(def)
	}
	if problem := st.MoveProblem(def, from, a.To); problem != "" {
		return &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/to", Message: problem}}}
	}
	return nil
}

// actions are the kinds of requests that an Action can be.
var actions = []string{RequestPause, RequestResume, RequestCancel, RequestRetry, RequestAdvance, RequestMove, RequestReask, RequestRollback, RequestSignal}

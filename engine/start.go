package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/tidwall/gjson"
)

// Start starts a session of a workflow. It returns as soon as the session is durable;
// see Wait and StartAndWait. Errors: ErrWorkflowNotFound, ErrNoEntry with the steps that
// exist, ErrSessionExists for a taken id, ErrKeyReused, ErrTooLarge, ErrBadRequest.
func (e *Engine) Start(ctx context.Context, q StartRequest) (*Session, error) {
	s, _, err := e.startAndView(ctx, &q)
	return s, err
}

// startAndView starts a session and also returns its stored record.
func (e *Engine) startAndView(ctx context.Context, q *StartRequest) (*Session, *store.SessionRecord, error) {
	created, read, err := e.start(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	s, err := e.viewOf(ctx, &created.Session, read)
	if err != nil {
		return nil, nil, err
	}
	if s.Replayed = created.Exists; !s.Replayed {
		s.after = created.Session.Inbox + 1
	}
	return s, &created.Session, nil
}

// StartAndWait starts a session and returns it at its next pause or end. It returns ctx's error
// if ctx ends first; the session continues.
func (e *Engine) StartAndWait(ctx context.Context, q StartRequest) (*Session, error) {
	s, err := e.Start(ctx, q)
	if err != nil {
		return nil, err
	}
	waited, err := e.WaitAfter(ctx, s)
	if err != nil {
		return nil, err
	}
	waited.Replayed = s.Replayed
	return waited, nil
}

// start creates a session, or finds the one that a start with the same key has created. It returns
// the state of a created one with it.
func (e *Engine) start(ctx context.Context, q *StartRequest) (store.Created, *opened, error) {
	if q.Workflow == "" {
		q.Workflow = DefaultWorkflow
	}
	entry := q.Entry
	if entry == "" {
		entry = DefaultEntry
	}
	inputs, err := checkInputs(q, e.o.MaxInputs)
	if err != nil {
		return store.Created{}, nil, err
	}
	if err := checkID(q.ID); err != nil {
		return store.Created{}, nil, err
	}
	def, err := e.definitions.Read(ctx, q.Workflow, entry)
	if err != nil {
		return store.Created{}, nil, err
	}
	if err := checkEntry(ctx, e.store, def, q.Workflow, entry); err != nil {
		return store.Created{}, nil, err
	}
	if err := checkGiven(q, def, e.o.MaxInputs); err != nil {
		return store.Created{}, nil, err
	}
	id := q.ID
	if id == "" {
		id = e.o.NewID()
	}
	limits, _ := def.Workflow.LimitsInForce()
	if limits != e.limits.Limits(q.Workflow) { // edited since they were read: this session uses the new limits
		if err := e.limits.Load(ctx, e.store); err != nil {
			return store.Created{}, nil, err
		}
	}
	y := newSession(id, q, entry, inputs, def, limits)
	place := e.reserve(id, q.Workflow, started)
	if place == nil {
		if err := e.overloaded(e.o.MaxLate); err != nil {
			return store.Created{}, nil, err
		}
	}
	if limits.InTurn() { // the session waits for its turn, which TakeTurns gives
		e.giveBack(place)
		place = nil
	}
	created, read, err := create(ctx, e, y, def, place)
	if err != nil {
		return store.Created{}, nil, explainCreate(err, id, q.Key)
	}
	return created, read, nil
}

// create stores a new session and runs it if it has a place. It returns the session's state with it.
func create(ctx context.Context, e *Engine, y *session.Young, def *graph.Definition, p *place) (store.Created, *opened, error) {
	var newborn *held
	if y.Claim = e.leaseFor(p); p != nil {
		s := &seat{in: &e.holding, workflow: y.Workflow}
		if r := session.Newborn(ctx, e.env, y, def, s); r != nil {
			newborn = &held{r, s}
			e.expect(newborn)
		}
	}
	fresh := y.Fresh()
	read := &opened{fresh.State, state.Read(y.Begun)}
	created, err := e.committer.CreateThen(ctx, fresh, func(created store.Created, err error) {
		switch claimed := fresh.Claim != nil && err == nil && created.Session.Lease == fresh.Claim.Token; {
		case claimed && newborn != nil:
			newborn.Created(created.Session)
			hold(e, p, newborn, created.Session, session.Beginning{})
		case claimed:
			e.runNow(p, store.Claimed{Session: created.Session, Now: created.Session.UpdatedAt},
				session.Beginning{State: read.own(&created.Session), Definition: func(context.Context) (*graph.Definition, error) { return def, nil }})
		default:
			e.giveBack(p)
			if err == nil && !created.Exists {
				e.wakeUp()
			}
		}
		e.expectNoMore(newborn)
	})
	if fresh.Claim != nil && created.Session.Lease == fresh.Claim.Token {
		created.Exists = false // it was this start whose first sending made it
	}
	return created, read, err
}

func checkInputs(q *StartRequest, most int) (json.RawMessage, error) {
	if len(q.Inputs) == 0 || string(q.Inputs) == "null" {
		return nil, nil
	}
	if len(q.Inputs) > most {
		return nil, store.Detailf(ErrTooLarge, "inputs have %d bytes, at most %d are taken", len(q.Inputs), most)
	}
	if !json.Valid(q.Inputs) {
		return nil, &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/inputs", Message: "is not valid JSON"}}}
	}
	if !gjson.ParseBytes(q.Inputs).IsObject() {
		return nil, &DetailError{Err: ErrBadRequest, Faults: []graph.Fault{{Pointer: "/inputs", Message: "want an object"}}}
	}
	return jsontext.Compact(q.Inputs), nil
}

// checkEntry returns an error when a session cannot start at a step of the workflow.
func checkEntry(ctx context.Context, in Store, def *graph.Definition, workflow, entry string) error {
	if def.Absent {
		return store.WorkflowNotFound(ctx, in, workflow)
	}
	if def.Step(entry) == nil {
		return &DetailError{Err: ErrNoEntry, Detail: fmt.Sprintf("workflow %q has no step %q to start at", workflow, entry), Exists: def.IDs()}
	}
	return nil
}

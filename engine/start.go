package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/tidwall/gjson"
)

// Start starts a session of a workflow. It returns as soon as the session is durable;
// see Wait and StartAndWait. Errors: ErrWorkflowNotFound, ErrNoEntry with the steps that
// exist, ErrSessionExists for a taken id, ErrKeyReused, ErrTooLarge, ErrBadRequest.
func (e *Engine) Start(ctx context.Context, q StartRequest) (*Session, error) {
	s, _, err := e.startAndView(ctx, &q)
	return s, err
}

// startAndView also returns what was stored.
func (e *Engine) startAndView(ctx context.Context, q *StartRequest) (*Session, *SessionRecord, error) {
	created, err := e.start(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	s, err := e.view(ctx, &created.Session)
	if err != nil {
		return nil, nil, err
	}
	s.Replayed = created.Exists
	return s, &created.Session, nil
}

// StartAndWait starts a session and returns it at its next pause or end, or with ctx's
// error when that comes first (the session goes on).
func (e *Engine) StartAndWait(ctx context.Context, q StartRequest) (*Session, error) {
	s, err := e.Start(ctx, q)
	if err != nil {
		return nil, err
	}
	waited, err := e.Wait(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	waited.Replayed = s.Replayed
	return waited, nil
}

func (e *Engine) start(ctx context.Context, q *StartRequest) (Created, error) {
	if q.Workflow == "" {
		q.Workflow = DefaultWorkflow
	}
	entry := q.Entry
	if entry == "" {
		entry = DefaultEntry
	}
	inputs, err := e.checkInputs(q)
	if err != nil {
		return Created{}, err
	}
	if err := checkID(q.ID); err != nil {
		return Created{}, err
	}
	def, err := e.definitions.read(ctx, q.Workflow, entry)
	if err != nil {
		return Created{}, err
	}
	if err := e.checkEntry(ctx, def, q.Workflow, entry); err != nil {
		return Created{}, err
	}
	if err := e.checkGiven(q, def); err != nil {
		return Created{}, err
	}
	id := q.ID
	if id == "" {
		id = e.o.NewID()
	}
	fresh := newSession(id, q, entry, inputs, def)
	lease, place := e.reserve(id, q.Workflow, started)
	if lease == nil {
		if err := overloaded(e); err != nil {
			return Created{}, err
		}
	}
	fresh.Claim = lease
	created, err := e.committer.create(ctx, fresh)
	if err != nil {
		e.giveBack(place)
		return Created{}, explainCreate(err, id, q.Key)
	}
	if lease != nil && created.Session.Lease == lease.Token {
		e.runNow(place, Claimed{Session: created.Session, Now: created.Session.UpdatedAt}, def)
	} else {
		e.giveBack(place)
		if !created.Exists {
			e.wakeUp()
		}
	}
	return created, nil
}

func explainCreate(err error, id, key string) error {
	switch {
	case isSentinel(err, ErrSessionExists):
		return detail(ErrSessionExists, "%q; leave the id out to get a fresh one", id)
	case isSentinel(err, ErrKeyReused):
		return detail(ErrKeyReused, "idempotency key %q started a session with another body", key)
	}
	return err
}

// startHash tells two starts with one key apart.
func startHash(q *StartRequest, entry string, inputs json.RawMessage) string {
	h := sha256.New()
	graph.HashJSON(h, map[string]any{"workflow": q.Workflow, "entry": entry, "id": q.ID, "inputs": string(inputs), "labels": q.Labels})
	if len(q.Taken) > 0 {
		graph.HashJSON(h, q.Taken)
	}
	if len(q.Outputs) > 0 || len(q.Seeds) > 0 || len(q.Until) > 0 || len(q.Messages) > 0 {
		graph.HashJSON(h, map[string]any{"outputs": q.Outputs, "seeds": q.Seeds, "until": q.Until, "messages": q.Messages})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (e *Engine) checkInputs(q *StartRequest) (json.RawMessage, error) {
	if len(q.Inputs) == 0 || string(q.Inputs) == "null" {
		return nil, nil
	}
	if len(q.Inputs) > e.o.MaxInputs {
		return nil, detail(ErrTooLarge, "inputs have %d bytes, at most %d are taken", len(q.Inputs), e.o.MaxInputs)
	}
	if !json.Valid(q.Inputs) {
		return nil, &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: "/inputs", Message: "is no JSON"}}}
	}
	if !gjson.ParseBytes(q.Inputs).IsObject() {
		return nil, &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: "/inputs", Message: "want an object"}}}
	}
	return compactJSON(q.Inputs), nil
}

// maxID bounds the ids of sessions: they are parts of index keys.
const maxID = 200

func checkID(id string) error {
	if len(id) > maxID {
		return detail(ErrBadRequest, "session id has %d bytes, at most %d are taken", len(id), maxID)
	}
	for _, c := range id {
		if c < ' ' || c == '/' || c == 0x7f {
			return detail(ErrBadRequest, "session id %q: slashes and control characters are not allowed", id)
		}
	}
	return nil
}

// checkEntry tells whether a session may start at a step of the workflow.
func (e *Engine) checkEntry(ctx context.Context, def *Definition, workflow, entry string) error {
	if def.Absent {
		return e.workflowNotFound(ctx, workflow)
	}
	if def.Step(entry) == nil {
		return &DetailError{Err: ErrNoEntry, Detail: fmt.Sprintf("workflow %q has no step %q to start at", workflow, entry), Exists: def.IDs()}
	}
	return nil
}

func (e *Engine) workflowNotFound(ctx context.Context, workflow string) error {
	out := &DetailError{Err: ErrWorkflowNotFound, Detail: fmt.Sprintf("%q", workflow)}
	if list, err := e.store.WorkflowIDs(ctx); err == nil {
		for _, w := range list {
			out.Exists = append(out.Exists, w.ID)
		}
	}
	return out
}

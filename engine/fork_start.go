package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/inturn"
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Fork starts a new session with the state that the old session had when a visit began, and
// repeats that visit. The outputs of earlier visits are rebuilt from the history, so the
// workflow needs history level full, and outputs that the history truncates must still be among
// the outputs that the old session keeps. The old session does not change.
func (e *Engine) Fork(ctx context.Context, q ForkRequest) (*Session, error) {
	rec, err := e.store.Session(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	st, counted, err := session.Fork(ctx, e.store, e.definitions, rec, session.ForkPoint{Step: q.Step, Visit: q.Visit, State: q.State})
	if err != nil {
		return nil, err
	}
	if err := checkUntil(ctx, e.definitions, rec.Workflow, q.Until); err != nil {
		return nil, err
	}
	if len(q.Until) > 0 {
		st.EndAt(q.Until)
	}
	id := q.ID
	if id == "" {
		id = e.o.NewID()
	}
	if err := checkID(id); err != nil {
		return nil, err
	}
	st.ID = id
	fresh := store.NewSession{ID: id, Workflow: rec.Workflow, State: st.AppendJSON(nil), Counters: counted.AppendJSON(),
		Status: st.SessionStatus(), Root: id, Labels: rec.Labels, Key: q.Key,
		BodyHash: startHash(&StartRequest{Workflow: rec.Workflow, Entry: q.Session + "/" + q.Step, ID: q.ID, Inputs: q.State, Until: q.Until}, fmt.Sprint(q.Visit), nil)}
	fresh.ConcurrencyKey = inturn.Key(e.limits.Limits(rec.Workflow), id, inturn.Given{State: st})
	if len(fresh.State) > e.o.MaxState {
		return nil, store.Detailf(ErrTooLarge, "the fork's state has %d bytes, at most %d are kept", len(fresh.State), e.o.MaxState)
	}
	created, err := e.committer.Create(ctx, fresh)
	if err != nil {
		return nil, explainCreate(err, id, q.Key)
	}
	e.wakeUp()
	s, err := e.view(ctx, &created.Session)
	if err == nil {
		s.Replayed = created.Exists
	}
	return s, err
}

// checkUntil reports a step at which a fork cannot end: one that its workflow does not have.
func checkUntil(ctx context.Context, definitions *definitionReader, workflow string, until []string) error {
	if len(until) == 0 {
		return nil
	}
	def, err := definitions.Read(ctx, cmp.Or(workflow, graph.DefaultWorkflow), until[0])
	if err != nil {
		return err
	}
	return missingUntil(until, def)
}

// A ForkRequest starts a new session from an existing one, as it was when a visit began.
type ForkRequest struct {
	Session string
	Step    string
	Visit   int             // 0 means the newest
	State   json.RawMessage // optional: the state to begin with, instead of the one rebuilt from the history
	ID      string          // of the new session; a UUID v7 when empty
	Until   []string        // steps whose paths are not followed: the new session goes up to them
	Key     string
}

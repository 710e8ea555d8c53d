package engine

import (
	"context"
	"fmt"
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
	f := forking{store: e.store, definitions: e.definitions, ctx: ctx, q: q, rec: rec}
	if err := f.read(); err != nil {
		return nil, err
	}
	st, counted, err := f.rebuild()
	if err != nil {
		return nil, err
	}
	id := q.ID
	if id == "" {
		id = e.o.NewID()
	}
	if err := checkID(id); err != nil {
		return nil, err
	}
	st.ID = id
	fresh := NewSession{ID: id, Workflow: rec.Workflow, State: st.AppendJSON(nil), Counters: counted.AppendJSON(),
		Status: st.SessionStatus(), Root: id, Labels: rec.Labels, Key: q.Key,
		BodyHash: startHash(&StartRequest{Workflow: rec.Workflow, Entry: q.Session + "/" + q.Step, ID: q.ID, Inputs: q.State}, fmt.Sprint(q.Visit), nil)}
	if len(fresh.State) > e.o.MaxState {
		return nil, detail(ErrTooLarge, "the fork's state has %d bytes, at most %d are kept", len(fresh.State), e.o.MaxState)
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

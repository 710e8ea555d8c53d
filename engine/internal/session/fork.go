package session

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Fork rebuilds the state that a session had when a visit began, for a new session. In it that visit,
// and the other visits that were under way, begin anew.
func Fork(ctx context.Context, in store.Store, definitions Definitions, rec *store.SessionRecord, p ForkPoint) (*state.State, *state.Counters, error) {
	f := forking{store: in, definitions: definitions, ctx: ctx, q: p, rec: rec}
	if err := f.read(); err != nil {
		return nil, nil, err
	}
	return f.rebuild()
}

func (f *forking) read() (err error) {
	if f.state, err = state.Parse(f.rec.ID, f.rec.State); err != nil {
		return store.Detailf(store.ErrBadRequest, "%v", err)
	}
	if f.counted, err = state.ParseCounters(f.rec.ID, f.rec.Counters); err != nil {
		return store.Detailf(store.ErrBadRequest, "%v", err)
	}
	if f.q.Visit == 0 {
		f.q.Visit = f.counted.Visits(f.q.Step)
	}
	all, err := f.history()
	if err != nil {
		return err
	}
	return f.split(all)
}

// history returns the session's executions, without the records of lost calls.
func (f *forking) history() (all []store.Execution, err error) {
	if f.def, err = f.definitions.Read(f.ctx, cmp.Or(f.rec.Workflow, graph.DefaultWorkflow), f.state.Entry()); err != nil {
		return nil, err
	}
	for after := int64(0); ; {
		page, err := f.store.Executions(f.ctx, f.rec.ID, store.HistoryQuery{After: after, Limit: 500, Lineage: true})
		if err != nil || len(page) == 0 {
			return all, err
		}
		for i := range page {
			if page[i].Status != store.StatusLost { // a lost call neither begins nor ends a visit
				all = append(all, page[i])
			}
		}
		after = page[len(page)-1].Seq
	}
}

// split finds the visit and divides the history into executions that ended before it and visits
// that were under way.
func (f *forking) split(all []store.Execution) error {
	first := int64(0)
	for i := range all {
		if x := &all[i]; x.Step == f.q.Step && x.Visit == f.q.Visit {
			if f.inside(x) {
				return f.notAlone()
			}
			first, f.at = x.Seq, x.StartedAt.UnixMilli()
			break
		}
	}
	if first == 0 {
		return f.openVisit(f.withoutUndone(all, f.counted.Seq()+1))
	}
	all = f.withoutUndone(all, first)
	for i := range all {
		if all[i].Seq < first {
			f.before = append(f.before, all[i])
		}
	}
	f.findOpen(all, first)
	return nil
}

func (f *forking) notAlone() error {
	if s := f.def.Step(f.q.Step); s != nil && s.Holder != "" {
		return store.Detailf(store.ErrBadRequest, "step %q runs in the body of %q: name a visit of %q", f.q.Step, s.Holder, s.Holder)
	}
	return store.Detailf(store.ErrBadRequest, "visit %d of step %q was a call of an agent's tool: name a visit of the agent", f.q.Visit, f.q.Step)
}

// openVisit handles a visit that has not ended: the fork begins with the session's current state.
func (f *forking) openVisit(all []store.Execution) error {
	l := f.state.Live(f.q.Step)
	if l == nil || l.Visit != f.q.Visit {
		return store.Detailf(store.ErrStepNotFound, "session %s has no visit %d of step %q in its history", f.rec.ID, f.q.Visit, f.q.Step)
	}
	if s := f.def.Step(f.q.Step); l.Tool != nil || s != nil && s.Holder != "" {
		return f.notAlone()
	}
	f.before, f.at = all, f.rec.UpdatedAt.UnixMilli()
	f.openNow()
	return nil
}

func (f *forking) rebuild() (*state.State, *state.Counters, error) {
	s, c := state.New(f.rec.ID), state.NewCounters()
	if len(f.q.State) > 0 {
		given, err := state.Parse(f.rec.ID, f.q.State)
		if err != nil {
			return nil, nil, &store.DetailError{Err: store.ErrBadRequest, Faults: []graph.Fault{{Pointer: "/state", Message: err.Error()}}}
		}
		s = given
		s.ForgetProgress()
		c.NoteVisitsOf(f.counted)
		f.live, f.joins, f.arrived = nil, nil, nil
	} else if err := f.replay(s, c); err != nil {
		return nil, nil, err
	}
	s.BeginsAt(f.state.Entry())
	f.activate(s, c, f.q.Step, f.q.Visit)
	for _, v := range f.live {
		f.activate(s, c, v.step, v.visit)
		s.Live(v.step).Took = withoutSeq(v.took)
	}
	for id, took := range f.joins {
		s.WaitToJoin(id, withoutSeq(took)...)
	}
	for id, from := range f.arrived {
		s.SetArrivals(id, withoutSeq(from))
	}
	return s, c, nil
}

// withoutSeq returns paths without their execution numbers: another session's history does not
// have the executions after which they were taken.
func withoutSeq(took []state.TakenPath) []state.TakenPath {
	out := make([]state.TakenPath, len(took))
	for i, t := range took {
		out[i] = state.TakenPath{Path: t.Path, Jump: t.Jump}
	}
	return out
}

func (f *forking) activate(s *state.State, c *state.Counters, step string, visit int) {
	s.SetStatus(step, store.StatusActive, "")
	s.EndLive(step)
	s.ClearFailure(step)
	l := s.MakeLive(step)
	l.Visit = visit
	c.NoteVisit(step, visit)
}

// replay applies the executions before the visit to a state.
func (f *forking) replay(s *state.State, c *state.Counters) error {
	for _, key := range f.state.OutputIDs() { // the inputs given at the start
		if !f.counted.HasRun(key) {
			for _, v := range f.state.Outputs(key) {
				s.AddOutput(key, v, graph.KeptOutputs)
			}
		}
	}
	for i := range f.before {
		if err := f.fold(s, c, &f.before[i]); err != nil {
			return err
		}
	}
	for after := int64(0); ; {
		page, err := f.store.Messages(f.ctx, f.rec.ID, store.HistoryQuery{After: after, Limit: 500})
		if err != nil {
			return err
		}
		for _, m := range page {
			if after = m.N; (m.At <= f.at && m.Step != f.q.Step || m.At < f.at) && !f.askedAgain(&m) {
				text, _ := jsontext.Marshal(m)
				s.AddMessage(text, state.MessageWindow)
			}
		}
		if len(page) == 0 {
			return nil
		}
	}
}

func (f *forking) fold(s *state.State, c *state.Counters, x *store.Execution) error {
	c.NoteVisit(x.Step, x.Visit)
	if x.Status == store.StatusRound { // an agent's output is that of its last round
		return nil
	}
	f.ended(s, x)
	if len(x.Output) == 0 {
		return nil
	}
	output, err := f.fullOutput(x)
	if err != nil {
		return err
	}
	s.AddOutput(x.Step, output, graph.KeptOutputs)
	return nil
}

// ended sets a step's status from the status of one of its executions, with the data that a retry
// needs.
func (f *forking) ended(s *state.State, x *store.Execution) {
	s.EndLive(x.Step)
	s.ClearFailure(x.Step)
	switch x.Status {
	case store.StatusComplete, store.StatusAnswered:
		s.SetStatus(x.Step, store.StatusComplete, "").LastExecuted = x.FinishedAt.UnixMilli()
	case store.StatusCancelled:
		s.SetStatus(x.Step, store.StatusCancelled, "")
	case store.StatusError:
		var problem function.SessionError
		_ = json.Unmarshal(x.Error, &problem)
		s.SetStatus(x.Step, store.StatusError, problem.Message)
		if f.settled(x) {
			s.NoteHandled(x.Step, problem.Kind)
			return
		}
		l := s.MakeLive(x.Step)
		l.Visit, l.Kind = x.Visit, problem.Kind
		s.Fail(&function.SessionError{Step: x.Step, Kind: problem.Kind, Message: problem.Message})
	}
}

// fullOutput returns an execution's output; when the history holds only a part of it, it is taken from
// the old session's kept outputs.
func (f *forking) fullOutput(x *store.Execution) (json.RawMessage, error) {
	var marker struct {
		Cut bool `json:"cut"`
	}
	if json.Unmarshal(x.Output, &marker) != nil || !marker.Cut {
		return x.Output, nil
	}
	kept := f.state.Outputs(x.Step)
	for i, v := range kept {
		if f.counted.OutputSeq(x.Step, i, len(kept)) != x.Seq {
			continue
		}
		hash := state.BlobHash(v)
		if hash == "" {
			return v, nil
		}
		found, err := f.store.Blobs(f.ctx, f.rec.ID, []string{hash})
		if err != nil {
			return nil, err
		}
		if text, ok := found[hash]; ok {
			return text, nil
		}
	}
	return nil, store.Detailf(store.ErrBadRequest, "the output of execution %s is too large for the history and no longer in the state: give the fork a state", x.ID)
}

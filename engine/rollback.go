package engine

import "fmt"

// applyRollback takes the session back to before a visit: what ran since is cancelled
// where it still runs, outputs and statuses become what they were, and the step begins a
// new visit. A compensating step, if one is named, runs before it, on the state as it was
// when the visit had been made undone: it undoes outside what the session cannot. The
// history keeps all that happened; counters never go down.
func (r *runner) applyRollback(q *Request) string {
	r.applyHeld()
	b := bodyOf(q)
	if r.def.steps[b.Step] == nil {
		return fmt.Sprintf("step %q is not in the workflow", b.Step)
	}
	if b.To != "" && r.def.steps[b.To] == nil {
		return fmt.Sprintf("compensating step %q is not in the workflow", b.To)
	}
	f, err := r.forkHere(b)
	if err != nil {
		return "not rolled back: " + err.Error()
	}
	var was *State
	err = r.repeat(func() error {
		was = NewState(r.id)
		return f.replay(was, &counters{Visits: map[string]int{}})
	})
	if err != nil {
		return "not rolled back: " + err.Error()
	}
	for _, id := range append([]string(nil), r.state.stepOrder...) {
		if r.liveStatus(id) {
			r.cancelStep(id, fmt.Sprintf("rolled back to before visit %d of step %q", f.q.Visit, f.q.Step))
		}
	}
	r.takeBack(was, f)
	again := []string{b.Step}
	for i := range f.live {
		if f.live[i].Step != b.Step {
			again = append(again, f.live[i].Step)
		}
	}
	from := []takenPath{{Path: RequestRollback}}
	if b.To != "" {
		r.beginVisit(b.To, from)
		r.state.engine.Live[b.To].Then = b.Step
		again = again[1:]
	}
	for _, id := range again {
		r.beginVisit(id, from)
	}
	r.unwritten.closing = true
	return fmt.Sprintf("rolled back to before visit %d of step %q", f.q.Visit, f.q.Step)
}

// forkHere reads the history as a fork of this session would, with what the next
// checkpoint will write.
func (r *runner) forkHere(b actionBody) (*forking, error) {
	f := &forking{e: r.e, ctx: r.ctx, q: ForkRequest{Session: r.id, Step: b.Step, Visit: b.Visit},
		rec: &SessionRecord{ID: r.id, Workflow: r.workflow, UpdatedAt: r.nowTime()}, state: r.state, counted: r.counters}
	if f.q.Visit == 0 {
		f.q.Visit = r.counters.Visits[b.Step]
	}
	var all []Execution
	err := r.repeat(func() (err error) {
		all, err = f.history()
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, e := range r.unwritten.executions {
		all = append(all, *e)
	}
	return f, f.split(all)
}

// takeBack makes the session's state what it was, but for what is never taken back.
func (r *runner) takeBack(was *State, f *forking) {
	now := &r.state.engine
	was.messages = r.state.messages // what was said was said
	was.extra, was.dataExtra, was.LastEvaluated = r.state.extra, r.state.dataExtra, r.state.LastEvaluated
	was.engine = engineState{Entry: now.Entry, Order: now.Order, Parent: now.Parent, Until: now.Until, Signals: now.Signals, extra: now.extra}
	r.state = was
	r.counters.Outputs, r.counters.Attempts, r.counters.Asks = nil, nil, nil
	for i := range f.before {
		x := &f.before[i]
		if n := len(was.Outputs(x.Step)); n > 0 && len(x.Output) > 0 && x.Status != StatusRound && x.Status != StatusLost {
			r.counters.noteOutput(x.Step, x.Seq, min(n, len(r.counters.Outputs[x.Step])+1))
		}
	}
	r.arrived, r.toStart = nil, nil
	r.unwritten.touch()
}

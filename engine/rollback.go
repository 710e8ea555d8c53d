package engine

import "fmt"

// applyRollback takes the session back to before a visit: what ran since is cancelled
// where it still runs, outputs and statuses become what they were, and the step begins a
// new visit. What was under way beside the visit and still is goes on untouched, with its
// question and its calls; what has ended since is begun again, and joins that waited wait
// again. A compensating step, if one is named, runs before it, on the state as it was when
// the visit had been made undone: it undoes outside what the session cannot. The history
// keeps all that happened; counters never go down.
func (r *runner) applyRollback(q *Request) string {
	r.applyHeld()
	b := bodyOf(q)
	if r.def.Step(b.Step) == nil {
		return fmt.Sprintf("step %q is not in the workflow", b.Step)
	}
	if b.To != "" && r.def.Step(b.To) == nil {
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
	kept := r.goesOn(f)
	for _, id := range append([]string(nil), r.state.stepOrder...) {
		if r.liveStatus(id) && !kept[id] {
			r.cancelStep(id, fmt.Sprintf("rolled back to before visit %d of step %q", f.q.Visit, f.q.Step))
		}
	}
	r.takeBack(was, f, kept)
	from := []takenPath{{Path: RequestRollback}}
	if b.To != "" {
		r.beginVisit(b.To, from)
		r.state.engine.Live[b.To].Then = b.Step
	} else {
		r.beginVisit(b.Step, from)
	}
	for _, v := range f.live {
		if !kept[v.step] && v.step != b.To {
			r.beginVisit(v.step, append([]takenPath{}, v.took...))
		}
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

// goesOn finds the steps whose visit was under way then and still is, with what runs inside
// of them: bodies of containers, tools of agents.
func (r *runner) goesOn(f *forking) map[string]bool {
	kept := map[string]bool{}
	for _, v := range f.live {
		kept[v.step] = f.underWay(visitKey{v.step, v.visit})
	}
	for more := true; more; {
		more = false
		for _, id := range r.state.stepOrder {
			holder := ""
			if s := r.def.Step(id); s != nil {
				holder = s.Holder
			}
			if l := r.state.engine.Live[id]; l != nil && l.Tool != nil {
				holder = l.Tool.Agent
			}
			if !kept[id] && kept[holder] {
				kept[id], more = true, true
			}
		}
	}
	return kept
}

// takeBack makes the session's state what it was, but for what is never taken back and for
// the steps that go on.
func (r *runner) takeBack(was *State, f *forking, kept map[string]bool) {
	old, outputs := r.state, r.counters.Outputs
	now := &old.engine
	was.messages = old.messages // what was said was said
	was.extra, was.dataExtra, was.LastEvaluated = old.extra, old.dataExtra, old.LastEvaluated
	was.engine = engineState{Entry: now.Entry, Order: now.Order, Parent: now.Parent, Until: now.Until, Signals: now.Signals,
		Seeds: now.Seeds, Paused: now.Paused, Notices: now.Notices, Live: was.engine.Live, Settled: was.engine.Settled, Failure: was.engine.Failure, extra: now.extra}
	r.state = was
	r.counters.Outputs, r.counters.Attempts = nil, nil
	for i := range f.before {
		x := &f.before[i]
		if n := len(was.Outputs(x.Step)); n > 0 && len(x.Output) > 0 && x.Status != StatusRound && x.Status != StatusLost {
			r.counters.noteOutput(x.Step, x.Seq, min(n, len(r.counters.Outputs[x.Step])+1))
		}
	}
	for _, list := range was.outputs {
		for i, value := range list.values {
			list.values[i] = r.intern(value)
		}
	}
	for _, id := range old.stepOrder {
		if kept[id] {
			was.carryOver(old, id)
			r.counters.Outputs = put(r.counters.Outputs, id, outputs[id])
		}
	}
	for id, took := range f.joins {
		was.engine.Joins = put(was.engine.Joins, id, took)
	}
	for id, list := range now.Arrived {
		for _, from := range list {
			if from.Seq < f.first() {
				was.engine.Arrived = put(was.engine.Arrived, id, append(was.engine.Arrived[id], from))
			}
		}
	}
	was.engine.Undone = now.Undone
	was.noteUndone(f.first(), r.counters.Seq)
	r.keepGoing(kept)
	r.unwritten.touch()
}

// keepGoing drops the results and calls of steps that do not go on.
func (r *runner) keepGoing(kept map[string]bool) {
	arrived := r.arrived
	r.arrived = nil
	for _, a := range arrived {
		if kept[a.step] {
			r.arrived = append(r.arrived, a)
		}
	}
	r.unqueue(func(a *attempt) bool { return !kept[a.step] })
}

// carryOver gives a state all that another one has of a step.
func (s *State) carryOver(old *State, id string) {
	if s.steps[id] == nil {
		s.stepOrder = append(s.stepOrder, id)
	}
	s.steps[id] = old.steps[id]
	if list := old.outputs[id]; list != nil {
		if s.outputs[id] == nil {
			s.outputOrder = append(s.outputOrder, id)
		}
		s.outputs[id] = list
	}
	e, was := &s.engine, &old.engine
	e.Live = carry(e.Live, was.Live, id)
	e.Asks = carry(e.Asks, was.Asks, id)
	e.Driven = carry(e.Driven, was.Driven, id)
	e.Settled = carry(e.Settled, was.Settled, id)
	e.Joins = carry(e.Joins, was.Joins, id)
	e.Again = carry(e.Again, was.Again, id)
}

func carry[V any](to, from map[string]V, id string) map[string]V {
	if v, ok := from[id]; ok {
		return put(to, id, v)
	}
	return to
}

func put[V any](m map[string]V, id string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[id] = v
	return m
}

// first is the number of the first execution that is taken back.
func (f *forking) first() int64 {
	if len(f.before) == 0 {
		return 1
	}
	return f.before[len(f.before)-1].Seq + 1
}

// noteUndone remembers executions that no longer count, so that a later fork or rollback
// does not take them for what happened. It takes the place of ranges that reach into it: what
// of them lies before it stands again.
func (s *State) noteUndone(from, last int64) {
	var list []undone
	for _, u := range s.engine.Undone {
		if u.Last < from {
			list = append(list, u)
		}
	}
	if from <= last {
		list = append(list, undone{from, last})
	}
	s.engine.Undone = list
}

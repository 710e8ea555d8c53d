package session

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// applyRollback takes the session back to before a visit: what ran since is cancelled
// where it still runs, outputs and statuses become what they were, and the step begins a
// new visit. What was under way beside the visit and still is goes on untouched, with its
// question and its calls; what has ended since is begun again, and joins that waited wait
// again. A compensating step, if one is named, runs before it, on the state as it was when
// the visit had been made undone: it undoes outside what the session cannot. The history
// keeps all that happened; counters never go down.
func (r *requests) applyRollback(q *store.Request) string {
	r.applyHeld()
	b := BodyOf(q)
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
	var was *state.State
	err = r.repeat(func() error {
		was = state.New(r.id)
		return f.replay(was, state.NewCounters())
	})
	if err != nil {
		return "not rolled back: " + err.Error()
	}
	kept := r.goesOn(f)
	for _, id := range r.state.StepIDs() {
		if r.state.HasBegun(id) && !kept[id] {
			r.cancelStep(id, fmt.Sprintf("rolled back to before visit %d of step %q", f.q.Visit, f.q.Step))
		}
	}
	r.takeBack(was, f, kept)
	from := []state.TakenPath{{Path: store.RequestRollback}}
	if b.To != "" {
		r.beginVisit(b.To, from)
		r.state.Live(b.To).Then = b.Step
	} else {
		r.beginVisit(b.Step, from)
	}
	for _, v := range f.live {
		if !kept[v.step] && v.step != b.To {
			r.beginVisit(v.step, append([]state.TakenPath{}, v.took...))
		}
	}
	r.unwritten.closing = true
	return fmt.Sprintf("rolled back to before visit %d of step %q", f.q.Visit, f.q.Step)
}

// forkHere reads the history as a fork of this session would, including the records that the next
// checkpoint will write.
func (r *requests) forkHere(b ActionBody) (*forking, error) {
	f := &forking{store: r.e.Store, definitions: r.e.Definitions, ctx: r.ctx, q: ForkPoint{Step: b.Step, Visit: b.Visit},
		rec: &store.SessionRecord{ID: r.id, Workflow: r.workflow, UpdatedAt: r.nowTime()}, state: r.state, counted: r.counters}
	if f.q.Visit == 0 {
		f.q.Visit = r.counters.Visits(b.Step)
	}
	var all []store.Execution
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

// goesOn returns the steps whose visit was under way at that time and still is, including the
// steps inside them: bodies of containers, tools of agents.
func (r *requests) goesOn(f *forking) map[string]bool {
	kept := map[string]bool{}
	for _, v := range f.live {
		kept[v.step] = f.underWay(visitKey{v.step, v.visit})
	}
	for more := true; more; {
		more = false
		for _, id := range r.state.StepIDs() {
			holder := ""
			if s := r.def.Step(id); s != nil {
				holder = s.Holder
			}
			if l := r.state.Live(id); l != nil && l.Tool != nil {
				holder = l.Tool.Agent
			}
			if !kept[id] && kept[holder] {
				kept[id], more = true, true
			}
		}
	}
	return kept
}

// takeBack restores the session's earlier state, except for what is never undone and for the
// steps that go on.
func (r *requests) takeBack(was *state.State, f *forking, kept map[string]bool) {
	was.ReplaceOutputs(r.intern)
	was.TakeBack(r.state, r.counters, state.Past{Ended: f.before, First: f.first(), Joins: f.joins, Arrived: f.arrived, Kept: kept})
	r.state = was
	r.keepGoing(kept)
	r.unwritten.touch()
}

// keepGoing drops the results and queued calls of steps that do not go on.
func (r *requests) keepGoing(kept map[string]bool) {
	arrived := r.arrived
	r.arrived = nil
	for _, a := range arrived {
		if kept[a.step] {
			r.arrived = append(r.arrived, a)
		}
	}
	r.unqueue(func(a *attempt) bool { return !kept[a.step] })
}

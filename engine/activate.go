package engine

import (
	"sort"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
)

// visits are how single visits of steps begin, end, fail and are cancelled. A visit whose call is
// suspended is known here only as a suspendedCall.
type visits struct {
	*ledger
	body, sessions, tools suspendedCall // set once, when the runner is made
}

// activate makes a step run because a path led to it. What that means depends on where
// the step is: one that has not started merges with the activation, one that is under
// way runs once more afterwards, one in error waits for its retry, a join waits until
// nothing live can reach it, and any other begins a new visit.
func (r *visits) activate(id string, from state.TakenPath) {
	step := r.def.Step(id)
	if step == nil {
		return // the path says so in the problems of the session
	}
	r.unwritten.touch()
	if step.Join == JoinRequired {
		r.state.Arrive(step, from)
	}
	status := r.state.Status(id)
	if r.running[id] != nil || r.starting(id) || r.state.RunsAsTool(id) {
		r.state.RunAgain(id, from)
		return
	}
	switch status {
	case StatusActive, StatusPending, StatusAwaitingInput:
		l := r.ensureVisit(id)
		l.Took = append(l.Took, from)
		return
	case StatusError:
		if step.OnError != OnErrorContinue && r.state.Failed(id) {
			return
		}
	}
	if step.Waits() {
		r.state.WaitToJoin(id, from)
		return
	}
	r.beginVisit(id, []state.TakenPath{from})
}

// beginVisit gives a step its next visit and makes it active.
func (r *visits) beginVisit(id string, took []state.TakenPath) *state.LiveStep {
	return r.beginVisitOf(nil, id, took)
}

// beginVisitOf is beginVisit for the call of an agent's tool; nil for any other visit.
func (r *visits) beginVisitOf(tool *state.ToolVisit, id string, took []state.TakenPath) *state.LiveStep {
	r.dropSuspended(id)
	r.state.EndLive(id)
	l := r.state.MakeLive(id)
	l.Visit, l.Took, l.Tool = r.counters.BeginVisit(id), took, tool
	r.state.SetStatus(id, StatusActive, "")
	r.unwritten.touch()
	ev := r.stepEvent(id, l, StatusActive)
	for _, p := range took {
		ev.Paths = append(ev.Paths, p.Path)
	}
	r.event(EventStep, ev)
	return l
}

// joins are steps that wait until nothing live can reach them, and steps that are skipped because
// nothing live can.
type joins struct{ *visits }

// settleJoins starts every waiting join that nothing live can still reach, and tells whether
// it started any step. Before that it starts steps that are to run once more and whose visit is
// over without its paths having been followed: the call of an agent's tool, a visit that a
// rollback began, a cancelled call that ended late. A step in error keeps what led to it for
// its retry.
func (r *joins) settleJoins() (started bool) {
	for _, id := range r.state.ToRunAgain() {
		if r.running[id] != nil || r.state.HasBegun(id) || r.state.Failed(id) {
			continue
		}
		for _, from := range r.state.TakeAgain(id) {
			r.activate(id, from)
		}
		started = true
	}
	if len(r.state.WaitingJoins()) == 0 {
		return started
	}
	r.dropClosed()
	live := r.liveSteps()
	var ready []string
	for _, id := range r.state.WaitingJoins() {
		step := r.def.Step(id)
		if step == nil || !step.Waits() { // removed or changed while it waited
			ready = append(ready, id)
			continue
		}
		if !r.reachable(step, live) {
			ready = append(ready, id)
		}
	}
	sort.Slice(ready, func(i, j int) bool { return r.joinBefore(ready[i], ready[j]) })
	for _, id := range ready {
		took := r.state.AllTakenTo(id)
		r.state.EndJoin(id)
		if r.def.Step(id) == nil {
			continue
		}
		r.beginVisit(id, took)
	}
	return started || len(ready) > 0
}

// joinBefore orders joins that become ready together by what led to them first.
func (r *joins) joinBefore(a, b string) bool {
	ta, tb := r.state.TakenTo(a), r.state.TakenTo(b)
	if len(ta) > 0 && len(tb) > 0 && ta[0].Seq != tb[0].Seq {
		return ta[0].Seq < tb[0].Seq
	}
	return a < b
}

// liveSteps are the steps from which something may still come: those that run, wait or
// may be retried, joins that wait, and those whose paths are still to be followed.
func (r *visits) liveSteps() []*graph.CompiledStep {
	live := r.state.LiveIn(r.def)
	for _, a := range r.arrived { // ended in this wave, its paths are followed in the next
		if step := r.def.Step(a.step); step != nil {
			live = append(live, step)
		}
	}
	return live
}

// reachable tells whether a forward route leads from anything live to the step.
func (r *joins) reachable(step *graph.CompiledStep, live []*graph.CompiledStep) bool {
	for _, l := range live {
		if l != step && r.def.Leads(l, step) {
			return true
		}
	}
	return false
}

// settleSkipped labels the steps behind paths not taken that nothing live can reach any
// more. A label drives nothing: a step that has a status keeps it.
func (r *joins) settleSkipped() {
	untaken := r.state.Untaken()
	if len(untaken) == 0 {
		return
	}
	live := r.liveSteps()
	var later []string
	for _, target := range untaken {
		if r.skipFrom(target, live) {
			later = append(later, target)
		}
	}
	r.state.KeepUntaken(later)
}

// skipFrom labels target and what forward paths lead to from it; it tells whether some
// of it may still be reached and has to be looked at again.
func (r *joins) skipFrom(target string, live []*graph.CompiledStep) (again bool) {
	seen := map[string]bool{}
	stack := []string{target}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		step := r.def.Step(id)
		if step == nil || seen[id] {
			continue
		}
		seen[id] = true
		waits := r.state.IsWaitingJoin(id)
		switch {
		case r.state.Status(id) == StatusSkipped:
		case r.state.Status(id) != "" || waits:
			continue // it has run or will: what is behind it is its own affair
		case r.reachable(step, live):
			again = true
			continue
		default:
			r.state.SetStatus(id, StatusSkipped, "")
			r.unwritten.touch()
			r.event(EventStep, StepEvent{Step: id, Visit: r.counters.Visits(id), Status: StatusSkipped})
		}
		for _, p := range step.Next {
			if p.Forward() {
				stack = append(stack, p.Target)
			}
		}
	}
	return again
}

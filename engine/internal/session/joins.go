package session

import (
	"slices"
	"sort"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

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
		case r.state.Status(id) == store.StatusSkipped:
		case r.state.Status(id) != "" || waits:
			continue // it has run or will: what is behind it is its own affair
		case r.reachable(step, live):
			again = true
			continue
		default:
			r.state.SetStatus(id, store.StatusSkipped, "")
			r.unwritten.touch()
			r.event(event.EventStep, event.StepEvent{Step: id, Visit: r.counters.Visits(id), Status: store.StatusSkipped})
		}
		for _, p := range step.Next {
			if p.Forward() {
				stack = append(stack, p.Target)
			}
		}
	}
	return again
}

// dropClosed gives up the waiting steps with `join: required` of which some requirement is not
// met and that nothing live can reach any more: a gate before them stayed closed. What has
// arrived stays known, for a loop that brings the rest.
func (r *joins) dropClosed() {
	var closed []*graph.CompiledStep
	for _, id := range r.state.WaitingJoins() {
		if step := r.def.Step(id); step != nil && step.Join == graph.JoinRequired && len(r.state.Unmet(step)) > 0 {
			closed = append(closed, step)
		}
	}
	if len(closed) == 0 {
		return
	}
	live := slices.DeleteFunc(r.liveSteps(), func(s *graph.CompiledStep) bool {
		waits := r.state.IsWaitingJoin(s.ID)
		return waits && slices.Contains(closed, s)
	})
	for _, step := range closed {
		if !r.reachable(step, live) {
			r.state.EndJoin(step.ID)
			r.state.NoteUntaken(step.ID)
			r.unwritten.touch()
		}
	}
}

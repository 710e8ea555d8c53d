package session

import (
	"slices"
	"sort"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// joins handles steps that wait until no live step can reach them, and marks steps as skipped that
// no live step can reach any more.
type joins struct{ *visits }

// settleJoins starts every waiting join that no live step can still reach, and reports whether it
// started any. Before that it starts steps that are to run once more and whose visit ended
// without its paths being followed: the call of an agent's tool, a visit that a rollback began, a
// cancelled call that ended late. A step in error keeps the paths that led to it for its retry.
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
		if step == nil || !step.Waits() { // removed or edited while it waited
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

// joinBefore orders joins that become ready together by the first path that led to each.
func (r *joins) joinBefore(a, b string) bool {
	ta, tb := r.state.TakenTo(a), r.state.TakenTo(b)
	if len(ta) > 0 && len(tb) > 0 && ta[0].Seq != tb[0].Seq {
		return ta[0].Seq < tb[0].Seq
	}
	return a < b
}

// reachable reports whether a forward route leads from any live step to the step.
func (r *joins) reachable(step *graph.CompiledStep, live []*graph.CompiledStep) bool {
	for _, l := range live {
		if l != step && r.def.Leads(l, step) {
			return true
		}
	}
	return false
}

// settleSkipped marks as skipped the steps behind paths not taken that no live step can reach any
// more. The mark activates nothing, and a step that has a status keeps it.
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

// skipFrom marks target and the steps that forward paths reach from it. It returns true when some
// of them may still be reached and have to be examined again.
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
			continue // it has run or will run, so it decides about the steps behind it
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

// dropClosed drops waiting steps with `join: required` that lack a required path and that no live
// step can reach any more. The paths that have arrived are kept, for a loop that takes the rest.
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

package engine

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// dropClosed gives up the waiting steps with `join: required` of which some requirement is not
// met and that nothing live can reach any more: a gate before them stayed closed. What has
// arrived stays known, for a loop that brings the rest.
func (r *joins) dropClosed() {
	var closed []*graph.CompiledStep
	for _, id := range r.state.WaitingJoins() {
		if step := r.def.Step(id); step != nil && step.Join == JoinRequired && len(r.state.Unmet(step)) > 0 {
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

package session

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// applyMove closes a step (one that is gone, waits or failed) and activates another. A step
// in error that it leads to begins a new visit: who moves a session there wants it to run.
func (r *requests) applyMove(q *store.Request) string {
	r.applyHeld()
	b := BodyOf(q)
	if r.def.Step(b.To) == nil {
		return fmt.Sprintf("not moved: step %q is not in the workflow", b.To)
	}
	from := b.Step
	if from == "" {
		from = r.state.StuckStep(r.def)
	}
	if problem := r.state.MoveProblem(r.def, from, b.To); problem != "" {
		return "not moved: " + problem
	}
	switch r.state.Status(from) {
	case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
		r.cancelStep(from, fmt.Sprintf("moved to step %q", b.To))
	case store.StatusError:
		r.stopSuspended(from, fmt.Sprintf("moved to step %q", b.To))
		r.state.TakeAgain(from)
		r.end(from, store.StatusCancelled)
	case "":
		if from != "" {
			return fmt.Sprintf("not moved: step %q is not open in this session", from)
		}
	}
	r.state.RenewAllowance("")
	if r.state.Failed(b.To) {
		r.state.ClearFailure(b.To)
		r.beginVisit(b.To, []state.TakenPath{{Path: store.RequestMove}})
		return fmt.Sprintf("moved from %q to %q, which was in error and begins visit %d", from, b.To, r.counters.Visits(b.To))
	}
	r.activate(b.To, state.TakenPath{Path: store.RequestMove, Jump: true})
	return fmt.Sprintf("moved from %q to %q", from, b.To)
}

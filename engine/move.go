package engine

import "fmt"

// applyMove closes a step (one that is gone, waits or failed) and activates another. A step
// in error that it leads to begins a new visit: who moves a session there wants it to run.
func (r *runner) applyMove(q *Request) string {
	r.applyHeld()
	b := bodyOf(q)
	if r.def.Step(b.To) == nil {
		return fmt.Sprintf("not moved: step %q is not in the workflow", b.To)
	}
	from := b.Step
	if from == "" {
		from = r.state.stuckStep(r.def)
	}
	if problem := r.state.moveProblem(r.def, from, b.To); problem != "" {
		return "not moved: " + problem
	}
	switch r.state.Status(from) {
	case StatusActive, StatusPending, StatusAwaitingInput:
		r.cancelStep(from, fmt.Sprintf("moved to step %q", b.To))
	case StatusError:
		r.stopDriven(from, fmt.Sprintf("moved to step %q", b.To))
		r.end(from, StatusCancelled)
	case "":
		if from != "" {
			return fmt.Sprintf("not moved: step %q is not open in this session", from)
		}
	}
	r.state.engine.Visits = 0
	if r.state.Failed(b.To) {
		r.clearFailure(b.To)
		r.beginVisit(b.To, []takenPath{{Path: RequestMove}})
		return fmt.Sprintf("moved from %q to %q, which was in error and begins visit %d", from, b.To, r.counters.Visits[b.To])
	}
	r.activate(b.To, takenPath{Path: RequestMove, Jump: true})
	return fmt.Sprintf("moved from %q to %q", from, b.To)
}

// moveProblem says why a session cannot be moved from one step to another, "" when it can.
// The body of a container is entered by its rounds alone, as paths into it from outside are
// closed: a body step that ran outside a round would lead nowhere. Within a round that is
// under way a move is possible, also from a step that is gone.
func (s *State) moveProblem(def *Definition, from, to string) string {
	holder := def.Step(to).Holder
	if holder == "" || s.engine.Parent != nil && s.engine.Parent.Body == holder {
		return ""
	}
	d := s.driven(holder)
	if d == nil || d.Body == nil || s.Status(holder) != StatusActive {
		return fmt.Sprintf("step %q is in the body of %q, of which no round is under way: move to %q", to, holder, holder)
	}
	if source := def.Step(from); source != nil && source.Holder != holder {
		return fmt.Sprintf("step %q is in the body of %q and step %q is not: move to %q, or from a step of that body", to, holder, from, holder)
	}
	return ""
}

// stuckStep is the step a move without `from` means: one whose STEP is gone, else the
// one that waits longest, else the newest in error.
func (s *State) stuckStep(def *Definition) string {
	var waiting, failed string
	for _, id := range s.stepOrder {
		switch s.Status(id) {
		case StatusActive, StatusPending, StatusAwaitingInput, StatusError:
			if s.engine.Settled[id] != "" {
				continue
			}
			if def.Step(id) == nil {
				return id
			}
		}
		switch s.Status(id) {
		case StatusAwaitingInput, StatusPending:
			if waiting == "" {
				waiting = id
			}
		case StatusError:
			if s.Failed(id) {
				failed = id
			}
		}
	}
	if waiting != "" {
		return waiting
	}
	return failed
}

package state

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// MoveProblem says why a session cannot be moved from one step to another, "" when it can.
// The body of a container is entered by its rounds alone, as paths into it from outside are
// closed: a body step that ran outside a round would lead nowhere. Within a round that is
// under way a move is possible, also from a step that is gone.
func (s *State) MoveProblem(def *graph.Definition, from, to string) string {
	holder := def.Step(to).Holder
	if holder == "" || s.family.parent != nil && s.family.parent.Body == holder {
		return ""
	}
	d := s.SuspendedNow(holder)
	if d == nil || d.Body == nil || s.Status(holder) != store.StatusActive {
		return fmt.Sprintf("step %q is in the body of %q, of which no round is under way: move to %q", to, holder, holder)
	}
	if source := def.Step(from); source != nil && source.Holder != holder {
		return fmt.Sprintf("step %q is in the body of %q and step %q is not: move to %q, or from a step of that body", to, holder, from, holder)
	}
	return ""
}

// StuckStep is the step a move without `from` means: one whose STEP is gone, else the
// one that waits longest, else the newest in error.
func (s *State) StuckStep(def *graph.Definition) string {
	var waiting, failed string
	for _, id := range s.statuses.order {
		switch s.Status(id) {
		case store.StatusActive, store.StatusPending, store.StatusAwaitingInput, store.StatusError:
			if s.statuses.handled[id] != "" {
				continue
			}
			if def.Step(id) == nil {
				return id
			}
		}
		switch s.Status(id) {
		case store.StatusAwaitingInput, store.StatusPending:
			if waiting == "" {
				waiting = id
			}
		case store.StatusError:
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

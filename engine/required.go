package engine

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// unmet returns the requirements of a step none of whose paths was taken. A jump back to the
// step, and an operator who moves the session there, need none: then all are met.
func (e *engineState) unmet(step *graph.CompiledStep) (missing []graph.Requirement) {
	taken := map[string]bool{}
	for _, from := range e.took(step.ID) {
		if taken[from.Path] = true; from.Jump {
			return nil
		}
	}
	for _, q := range step.Required {
		if !slices.ContainsFunc(q.Paths, func(path string) bool { return taken[path] }) {
			missing = append(missing, q)
		}
	}
	return missing
}

// took are the paths that led to a step that waits for others: those that were taken since its
// last visit, after those that count from before.
func (e *engineState) took(id string) []takenPath {
	fresh := e.Joins[id]
	var all []takenPath
	for _, from := range e.Arrived[id] {
		if !slices.Contains(fresh, from) {
			all = append(all, from)
		}
	}
	return append(all, fresh...)
}

// arrive keeps that a path into a step with `join: required` was taken, for this visit and
// for later ones: a loop does not run again what lies before it.
func (e *engineState) arrive(step *graph.CompiledStep, from takenPath) {
	if !step.Demands(from.Path) {
		return
	}
	if e.Arrived == nil {
		e.Arrived = map[string][]takenPath{}
	}
	list := e.Arrived[step.ID]
	for i := range list {
		if list[i].Path == from.Path {
			list[i] = from
			return
		}
	}
	e.Arrived[step.ID] = append(list, from)
}

// goBack forgets the arrivals over paths that a loop runs anew: those out of the step that a
// back path leads to and of all that it leads to. Without that an arm taken in an earlier
// round would open the gate of a later one.
func (e *engineState) goBack(d *Definition, to string) {
	target := d.Step(to)
	if target == nil {
		return
	}
	anew := func(from takenPath) bool {
		source := d.SourceOf(from.Path)
		return !from.Jump && source != nil && (source == target || d.Leads(target, source))
	}
	for id := range e.Arrived {
		forget(e.Arrived, id, anew)
		forget(e.Joins, id, anew)
	}
}

func forget(arrivals map[string][]takenPath, step string, which func(takenPath) bool) {
	if kept := slices.DeleteFunc(arrivals[step], which); len(kept) > 0 {
		arrivals[step] = kept
	} else {
		delete(arrivals, step)
	}
}

// dropClosed gives up the waiting steps with `join: required` of which some requirement is not
// met and that nothing live can reach any more: a gate before them stayed closed. What has
// arrived stays known, for a loop that brings the rest.
func (r *runner) dropClosed() {
	var closed []*graph.CompiledStep
	for id := range r.state.engine.Joins {
		if step := r.def.Step(id); step != nil && step.Join == JoinRequired && len(r.state.engine.unmet(step)) > 0 {
			closed = append(closed, step)
		}
	}
	if len(closed) == 0 {
		return
	}
	live := slices.DeleteFunc(r.liveSteps(), func(s *graph.CompiledStep) bool {
		_, waits := r.state.engine.Joins[s.ID]
		return waits && slices.Contains(closed, s)
	})
	for _, step := range closed {
		if !r.reachable(step, live) {
			delete(r.state.engine.Joins, step.ID)
			r.untaken(step.ID)
			r.unwritten.touch()
		}
	}
}

package state

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// joins are the activations that wait for others, and the paths that were not taken.
type joins struct {
	waiting map[string][]TakenPath // steps with join: all that wait, with the paths taken to them
	// arrived are the paths into steps with join: required that were taken, by step, and not
	// forgotten since: see GoBack.
	arrived map[string][]TakenPath
	again   map[string][]TakenPath // steps that were activated while they ran: they run once more
	untaken []string               // targets of paths not taken whose successors may become skipped
	halted  *Halted
}

// WaitToJoin makes a step a waiting join to which one more path has led.
func (j *joins) WaitToJoin(step string, from ...TakenPath) {
	j.waiting = put(j.waiting, step, append(j.waiting[step], from...))
}

// IsWaitingJoin reports whether a step is a waiting join.
func (j *joins) IsWaitingJoin(step string) bool {
	_, waits := j.waiting[step]
	return waits
}

// WaitingJoins are the steps that wait as joins, in order.
func (j *joins) WaitingJoins() []string { return sortedKeys(j.waiting) }

// TakenTo are the paths that led to a waiting join since its last visit.
func (j *joins) TakenTo(join string) []TakenPath { return j.waiting[join] }

// EndJoin ends the waiting of a join.
func (j *joins) EndJoin(step string) { delete(j.waiting, step) }

// RunAgain has a step that is under way run once more afterwards.
func (j *joins) RunAgain(step string, from TakenPath) {
	j.again = put(j.again, step, append(j.again[step], from))
}

// TakeAgain returns the paths over which a step that has ended is to run once more, and forgets
// them.
func (j *joins) TakeAgain(step string) []TakenPath {
	from := j.again[step]
	delete(j.again, step)
	return from
}

// ToRunAgain are the steps that are to run once more, in order.
func (j *joins) ToRunAgain() []string { return sortedKeys(j.again) }

// DropActivations forgets every join that waits and every step that was to run once more.
func (j *joins) DropActivations() { j.waiting, j.again = nil, nil }

// DropActivation forgets that a step waits as a join or is to run once more.
func (j *joins) DropActivation(step string) {
	delete(j.waiting, step)
	delete(j.again, step)
}

// Unmet returns the requirements of a step of which no path was taken. After a jump back to the
// step, or a move by an operator, all requirements count as met.
func (j *joins) Unmet(step *graph.CompiledStep) (missing []graph.Requirement) {
	taken := map[string]bool{}
	for _, from := range j.AllTakenTo(step.ID) {
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

// AllTakenTo are the paths that led to a step that waits for others: those that were taken since
// its last visit, after those that count from before.
func (j *joins) AllTakenTo(id string) []TakenPath {
	fresh := j.waiting[id]
	var all []TakenPath
	for _, from := range j.arrived[id] {
		if !slices.Contains(fresh, from) {
			all = append(all, from)
		}
	}
	return append(all, fresh...)
}

// Arrive keeps that a path into a step with `join: required` was taken, for this visit and
// for later ones: a loop does not run again what lies before it.
func (j *joins) Arrive(step *graph.CompiledStep, from TakenPath) {
	if !step.Demands(from.Path) {
		return
	}
	list := j.arrived[step.ID]
	for i := range list {
		if list[i].Path == from.Path {
			list[i] = from
			return
		}
	}
	j.arrived = put(j.arrived, step.ID, append(list, from))
}

// Arrived are the steps with `join: required` into which a path was taken, in order.
func (j *joins) Arrived() []string { return sortedKeys(j.arrived) }

// HasArrived reports whether a path into a step with `join: required` was taken.
func (j *joins) HasArrived(step string) bool { return j.arrived[step] != nil }

// Arrivals are the paths into a step with `join: required` that were taken and are not forgotten.
func (j *joins) Arrivals(step string) []TakenPath { return j.arrived[step] }

// SetArrivals makes the given paths those that were taken into a step with `join: required`.
func (j *joins) SetArrivals(step string, from []TakenPath) {
	j.arrived = put(j.arrived, step, slices.Clone(from))
}

// ForgetArrivals forgets the paths that led to a step with `join: required`.
func (j *joins) ForgetArrivals(step string) { delete(j.arrived, step) }

// GoBack removes the arrivals over paths that a loop runs again: those from the target of the
// back path and from all steps reachable from it. Otherwise an arrival of an earlier round would
// satisfy a requirement in a later one.
func (j *joins) GoBack(d *graph.Definition, to string) {
	target := d.Step(to)
	if target == nil {
		return
	}
	anew := func(from TakenPath) bool {
		source := d.SourceOf(from.Path)
		return !from.Jump && source != nil && (source == target || d.Leads(target, source))
	}
	for id := range j.arrived {
		forget(j.arrived, id, anew)
		forget(j.waiting, id, anew)
	}
}

func forget(arrivals map[string][]TakenPath, step string, which func(TakenPath) bool) {
	if kept := slices.DeleteFunc(arrivals[step], which); len(kept) > 0 {
		arrivals[step] = kept
	} else {
		delete(arrivals, step)
	}
}

// Untaken are the targets of paths not taken whose successors may become skipped.
func (j *joins) Untaken() []string { return j.untaken }

// KeepUntaken keeps those targets of paths not taken that still have to be looked at.
func (j *joins) KeepUntaken(targets []string) { j.untaken = targets }

// A Halted session is one that `on_error: fail_session` has ended. What was cut off by that is
// kept until a retry of the step takes it up again: without it the session would end complete
// though branches of it never went on.
type Halted struct {
	Step string `json:"step"` // that failed the session
	// Done are finished visits, by their EXECUTION, whose paths were not followed.
	Done []HaltedVisit `json:"done,omitempty"`
	// Live are the steps that were cancelled, with the paths that had led to them.
	Live  []HaltedVisit          `json:"live,omitempty"`
	Joins map[string][]TakenPath `json:"joins,omitempty"`
	Again map[string][]TakenPath `json:"again,omitempty"`
}

// A HaltedVisit is a visit that on_error: fail_session has cut off.
type HaltedVisit struct {
	Step string      `json:"step"`
	Seq  int64       `json:"seq,omitempty"`
	Took []TakenPath `json:"took,omitempty"`
}

// Halt begins to note what the failure of a step cuts off.
func (j *joins) Halt(cause string) *Halted {
	if j.halted == nil {
		j.halted = &Halted{}
	}
	h := j.halted
	h.Step = cause
	for id, took := range j.waiting {
		h.Joins = put(h.Joins, id, took)
	}
	for id, took := range j.again {
		h.Again = put(h.Again, id, took)
	}
	return h
}

// Halted is what the failure of a step has cut off, or nil.
func (j *joins) Halted() *Halted { return j.halted }

// TakeUpHalted forgets that the session was halted; joins that waited then wait again.
func (j *joins) TakeUpHalted() {
	h := j.halted
	j.halted = nil
	for id, took := range h.Joins {
		j.waiting = put(j.waiting, id, append(took, j.waiting[id]...))
	}
}

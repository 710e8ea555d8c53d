package refit

import (
	"errors"

	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Refused returns the problems of a workflow whose file its own format would refuse: each
// fault with the step or path it concerns.
func Refused(w *engine.Workflow, err error) []engine.Problem {
	var faults *source.Faults
	if !errors.As(err, &faults) {
		return []engine.Problem{{Level: "error", Code: Code, Message: "the file would be refused: " + err.Error()}}
	}
	steps, paths := map[string]bool{}, map[string]bool{}
	for i := range w.Steps {
		steps[w.Steps[i].ID] = true
	}
	for i := range w.Paths {
		paths[w.Paths[i].ID] = true
	}
	problems := make([]engine.Problem, len(faults.List))
	for i, f := range faults.List {
		p := engine.Problem{Level: "error", Code: f.Code, Message: "the file would be refused: " + f.Message}
		for _, id := range f.IDs { // the first of each
			if p.Step == "" && steps[id] {
				p.Step = id
			}
			if p.Path == "" && paths[id] {
				p.Path = id
			}
		}
		problems[i] = p
	}
	return problems
}

// unrepresentable are the added steps that the format has no node for.
func unrepresentable(drawn Drawing) (list []difference) {
	for _, id := range sorted(drawn.Why) {
		if drawn.Why[id] != "" {
			list = append(list, difference{step: id})
		}
	}
	return list
}

package refit

import (
	"errors"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/source"
)

// Refused are the problems of a workflow whose file its own format would refuse: each fault
// with the step or path it is about.
func Refused(w *engine.Workflow, err error) []engine.Problem {
	var faults *source.Faults
	if !errors.As(err, &faults) {
		return []engine.Problem{{Level: "error", Code: Code, Message: "the file would be refused: " + err.Error()}}
	}
	problems := make([]engine.Problem, len(faults.List))
	for i, f := range faults.List {
		problems[i] = engine.Problem{Level: "error", Code: f.Code, Message: "the file would be refused: " + f.Message}
		for _, id := range f.IDs {
			place(&problems[i], w, id)
		}
	}
	return problems
}

// place names the first step and the first path among the ids of a fault.
func place(p *engine.Problem, w *engine.Workflow, id string) {
	if p.Step == "" && w.Step(id) != nil {
		p.Step = id
	}
	if p.Path == "" && w.Path(id) != nil {
		p.Path = id
	}
}

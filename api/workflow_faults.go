package api

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// pointers are where the steps and paths of a body stand, by id: "step ID", "path ID".
func (w *Workflow) pointers() map[string]string {
	at := map[string]string{}
	for i := range w.Steps {
		at["step "+w.Steps[i].ID] = fmt.Sprintf("/steps/%d", i)
	}
	for i := range w.Paths {
		p := &w.Paths[i]
		name := p.ID
		if name == "" {
			name = p.Source + ">" + p.Target
		}
		if _, known := at["path "+name]; !known {
			at["path "+name] = fmt.Sprintf("/paths/%d", i)
		}
	}
	return at
}

// pointed gives the errors of a refused workflow their places in the body.
func pointed(err error, at map[string]string) error {
	var refused *engine.DetailError
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		return err
	}
	p := problem("workflow_invalid", refused.Detail)
	for _, one := range refused.Problems {
		f := Fault{Step: one.Step, Path: one.Path, Code: one.Code, Message: one.Message}
		if f.Pointer = at["path "+one.Path]; one.Path == "" {
			f.Pointer = at["step "+one.Step]
		}
		p.Errors = append(p.Errors, f)
	}
	sorting.Stable(p.Errors, func(a, b *Fault) int { // "/paths/2" stands before "/paths/10", after all steps
		return cmp.Or(strings.Compare(path.Dir(b.Pointer), path.Dir(a.Pointer)), cmp.Compare(len(a.Pointer), len(b.Pointer)), strings.Compare(a.Pointer, b.Pointer))
	})
	return p
}

// check refuses an edit of one step or path that brings an error into the workflow.
func (r *graphRoutes) check(w, after *engine.Workflow, force bool) error {
	for i := range after.Paths { // an end that is not there is an error of its own
		force = force || after.Step(after.Paths[i].Source) == nil || after.Paths[i].TargetWorkflow == "" && after.Step(after.Paths[i].Target) == nil
	}
	if force {
		return nil
	}
	after.Normalize()
	return editPointed(r.e.CheckEdit(w, after))
}

// namedProperty is the property of a step or path with which the message of an error begins.
var namedProperty = regexp.MustCompile(`^(condition|operator|function|input|join|on_error|output_schema|retry|timeout|approval_options)\b`)

// editPointed gives the errors of a refused edit their places in the body, which is the step or path.
func editPointed(err error) error {
	p, ok := errors.AsType[*Problem](pointed(err, nil))
	if !ok {
		return err
	}
	for i := range p.Errors {
		if property := namedProperty.FindString(p.Errors[i].Message); property != "" {
			p.Errors[i].Pointer = "/" + property
		}
	}
	return p
}

// withStep is the workflow with a step added or replaced.
func withStep(w *engine.Workflow, step engine.Step) *engine.Workflow {
	after := *w
	after.Steps = append([]engine.Step(nil), w.Steps...)
	if old := after.Step(step.ID); old != nil {
		*old = step
		return &after
	}
	after.Steps = append(after.Steps, step)
	return &after
}

// withPath is the workflow with a path added, or put in the place of the one of an id.
func withPath(w *engine.Workflow, replaced string, path engine.Path) *engine.Workflow {
	after := *w
	after.Paths = append([]engine.Path(nil), w.Paths...)
	if path.Kind == "" {
		path.Kind = engine.Next
	}
	if old := after.Path(replaced); old != nil && replaced != "" {
		path.Ref = old.Ref
		*old = path
		return &after
	}
	after.Paths = append(after.Paths, path)
	return &after
}

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/inspect"
	"github.com/stepgraph/stepgraph/engine/store"
)

// RestoreStep restores an earlier version of a step: its properties and its outgoing paths.
// Paths to steps that no longer exist are omitted and reported. The step's position on the
// canvas does not change.
func (d *Definitions) RestoreStep(ctx context.Context, workflow, step, hash string) (*Workflow, []Problem, error) {
	old, err := inspect.TextOf(ctx, d.inspector, workflow, step, hash)
	if err != nil {
		return nil, nil, err
	}
	w, err := d.workflow(ctx, workflow)
	if err != nil {
		return nil, nil, err
	}
	if w == nil {
		w = &Workflow{ID: workflow}
	}
	edit, problems, err := restoreEdit(w, old)
	if err != nil {
		return nil, nil, err
	}
	after, err := d.store.EditWorkflow(ctx, *edit)
	return after, problems, err
}

func restoreEdit(w *Workflow, old *inspect.StepText) (*store.Edit, []Problem, error) {
	properties := map[string]any{}
	for k, v := range old.Step {
		var value any
		if err := json.Unmarshal(v, &value); err != nil {
			return nil, nil, err
		}
		properties[k] = value
	}
	step, _ := graph.StepFromProperties(properties)
	step.Workflow = w.ID
	if now := w.Step(step.ID); now != nil {
		step.X, step.Y = now.X, now.Y
	}
	edit := &store.Edit{Workflow: w.ID, PutSteps: []Step{step}}
	if len(w.Steps) > 0 {
		edit.Match = w.ETag()
	}
	for _, p := range w.Paths {
		if p.Source == step.ID {
			edit.RemovePaths = append(edit.RemovePaths, p)
		}
	}
	var problems []Problem
	for _, was := range old.Paths {
		if was.Target != step.ID && w.Step(was.Target) == nil {
			problems = append(problems, Problem{Level: "warning", Step: step.ID, Path: was.ID, Code: "target_gone",
				Message: fmt.Sprintf("step %q is gone: the path to it was not restored", was.Target)})
			continue
		}
		p, _ := graph.PathFromProperties(was.Kind, step.ID, was.Target, was.Properties)
		edit.PutPaths = append(edit.PutPaths, p)
	}
	sort.SliceStable(edit.PutPaths, func(i, j int) bool { return graph.PathLess(&edit.PutPaths[i], &edit.PutPaths[j]) })
	return edit, problems, nil
}

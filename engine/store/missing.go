package store

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// WorkflowNotFound says that there is no workflow of this id, and which there are.
func WorkflowNotFound(ctx context.Context, s Workflows, id string) error {
	out := &DetailError{Err: ErrWorkflowNotFound, Detail: fmt.Sprintf("%q", id)}
	if list, err := s.WorkflowIDs(ctx); err == nil {
		for _, w := range list {
			out.Exists = append(out.Exists, w.ID)
		}
	}
	return out
}

// StepNotFound says that a workflow has no step of this id, and which it has.
func StepNotFound(w *graph.Workflow, step string) error {
	ids := make([]string, len(w.Steps))
	for i := range w.Steps {
		ids[i] = w.Steps[i].ID
	}
	return &DetailError{Err: ErrStepNotFound, Detail: fmt.Sprintf("%q in workflow %q", step, w.ID), Exists: ids}
}

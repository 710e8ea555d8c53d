package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ErrWorkflowInvalid: a workflow has errors that Validate finds and was not stored.
var ErrWorkflowInvalid = errors.New("workflow has errors")

// PutOptions say how a workflow is stored.
type PutOptions struct {
	Match  string // the ETag that the stored workflow must have, "" for any
	Force  bool   // store it although Validate finds errors
	DryRun bool   // report the difference and the problems; store nothing
}

// PutWorkflow replaces the stored workflow by w: steps and paths that are not in w are removed,
// unchanged ones are not written. match is the required ETag of the stored workflow, "" for any.
// A workflow in which Validate finds an error is refused with ErrWorkflowInvalid; Put can force
// it.
func (d *Definitions) PutWorkflow(ctx context.Context, w *Workflow, match string) (*Difference, error) {
	return d.Put(ctx, w, PutOptions{Match: match})
}

// Put is PutWorkflow with options. The problems that Validate finds are in the difference,
// and where they are the reason for a refusal in the error, which is a *DetailError.
func (d *Definitions) Put(ctx context.Context, w *Workflow, o PutOptions) (*Difference, error) {
	if err := checkWorkflow(w); err != nil {
		return nil, err
	}
	old, err := d.workflow(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	isNew := old == nil
	if isNew {
		old = &Workflow{ID: w.ID}
		if o.Match != "" {
			return nil, store.WorkflowNotFound(ctx, d.store, w.ID)
		}
	} else if o.Match == "" {
		o.Match = old.ETag() // refuses the write if the workflow is edited in between
	}
	edit, diff := compare(old, w)
	edit.Match = o.Match
	if o.DryRun {
		if err := diff.addFields(old, edit); err != nil {
			return nil, err
		}
	}
	diff.New = isNew
	diff.ETag = old.ETag()
	if diff.Problems = d.Validate(w); !o.Force {
		if err := refuse(w.ID, diff.Problems); err != nil {
			return nil, err
		}
	}
	if diff.Empty() && edit.Put == nil || o.DryRun {
		return diff, nil
	}
	after, err := d.store.EditWorkflow(ctx, *edit)
	if err != nil {
		return nil, err
	}
	diff.ETag = after.ETag()
	return diff, nil
}

// refuse returns an error that lists the problems of severity error, nil when there are none.
func refuse(id string, problems []Problem) error {
	failed := &DetailError{Err: ErrWorkflowInvalid}
	for _, p := range problems {
		if p.Level == "error" {
			failed.Problems = append(failed.Problems, p)
		}
	}
	if len(failed.Problems) == 0 {
		return nil
	}
	failed.Detail = fmt.Sprintf("%s: %s", id, failed.Problems[0].String())
	if more := len(failed.Problems) - 1; more > 0 {
		failed.Detail += fmt.Sprintf(" (and %d more)", more)
	}
	return failed
}

// CheckEdit refuses an edit that adds an error to a workflow: one that Validate finds after the
// edit and not before. So a workflow that already has errors can be repaired step by step.
func (d *Definitions) CheckEdit(before, after *Workflow) error {
	known := map[Problem]bool{}
	for _, p := range d.Validate(before) {
		known[p] = true
	}
	var brought []Problem
	for _, p := range d.Validate(after) {
		if !known[p] {
			brought = append(brought, p)
		}
	}
	return refuse(after.ID, brought)
}

// Validate lists the problems of a workflow, checked against the functions of this engine.
func (d *Definitions) Validate(w *Workflow) []Problem { return Validate(w, d.registry) }

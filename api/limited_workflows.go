package api

import (
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// limitedWorkflows applies the limit to workflows, edits of them, and what their sessions do.
type limitedWorkflows struct{ limits }

func (l limitedWorkflows) Workflow(ctx context.Context, id string) (*engine.Workflow, error) {
	return of(ctx, l.limits, id, func() (*engine.Workflow, error) { return l.e.Workflow(ctx, id) })
}

func (l limitedWorkflows) Workflows(ctx context.Context) ([]engine.WorkflowInfo, error) {
	all, err := l.e.Workflows(ctx)
	limit := tokenLimit(ctx)
	return slices.DeleteFunc(all, func(w engine.WorkflowInfo) bool { return !limit.Workflow(w.ID) }), err
}

func (l limitedWorkflows) Validate(w *engine.Workflow) []engine.Problem { return l.e.Validate(w) }

func (l limitedWorkflows) CheckEdit(before, after *engine.Workflow) error {
	return l.e.CheckEdit(before, after)
}

func (l limitedWorkflows) Put(ctx context.Context, w *engine.Workflow, o engine.PutOptions) (*engine.Difference, error) {
	return of(ctx, l.limits, w.ID, func() (*engine.Difference, error) { return l.e.Put(ctx, w, o) })
}

func (l limitedWorkflows) DeleteWorkflow(ctx context.Context, id, match string) error {
	_, err := of(ctx, l.limits, id, func() (any, error) { return nil, l.e.DeleteWorkflow(ctx, id, match) })
	return err
}

func (l limitedWorkflows) PutStep(ctx context.Context, workflow string, s engine.Step, match string) (*engine.Workflow, error) {
	return of(ctx, l.limits, workflow, func() (*engine.Workflow, error) { return l.e.PutStep(ctx, workflow, s, match) })
}

func (l limitedWorkflows) RemoveStep(ctx context.Context, workflow, step, match string) (*engine.Workflow, error) {
	return of(ctx, l.limits, workflow, func() (*engine.Workflow, error) { return l.e.RemoveStep(ctx, workflow, step, match) })
}

func (l limitedWorkflows) PutPath(ctx context.Context, workflow string, p engine.Path, match string) (*engine.Workflow, error) {
	return of(ctx, l.limits, workflow, func() (*engine.Workflow, error) { return l.e.PutPath(ctx, workflow, p, match) })
}

func (l limitedWorkflows) RemovePath(ctx context.Context, workflow, path, match string) (*engine.Workflow, error) {
	return of(ctx, l.limits, workflow, func() (*engine.Workflow, error) { return l.e.RemovePath(ctx, workflow, path, match) })
}

func (l limitedWorkflows) WorkflowLog(ctx context.Context, workflow, step string) ([]engine.LogEntry, error) {
	return of(ctx, l.limits, workflow, func() ([]engine.LogEntry, error) { return l.e.WorkflowLog(ctx, workflow, step) })
}

func (l limitedWorkflows) DefinitionDiff(ctx context.Context, q engine.DiffQuery) ([]engine.PropertyDiff, error) {
	return of(ctx, l.limits, q.Workflow, func() ([]engine.PropertyDiff, error) { return l.e.DefinitionDiff(ctx, q) })
}

func (l limitedWorkflows) RestoreStep(ctx context.Context, workflow, step, hash string) (*engine.Workflow, []engine.Problem, error) {
	if err := l.checkWorkflow(ctx, workflow); err != nil {
		return nil, nil, err
	}
	return l.e.RestoreStep(ctx, workflow, step, hash)
}

func (l limitedWorkflows) SearchAffected(ctx context.Context, q engine.AffectedQuery) (*engine.Affected, error) {
	if err := l.allSessions(ctx, q.Workflow); err != nil {
		return nil, err
	}
	return l.e.SearchAffected(ctx, q)
}

func (l limitedWorkflows) Traffic(ctx context.Context, q engine.TrafficQuery) (*engine.Traffic, error) {
	if err := l.allSessions(ctx, q.Workflow); err != nil {
		return nil, err
	}
	return l.e.Traffic(ctx, q)
}

func (l limitedWorkflows) Standing(ctx context.Context, workflow string) (*engine.Standing, error) {
	if err := l.allSessions(ctx, workflow); err != nil {
		return nil, err
	}
	return l.e.Standing(ctx, workflow)
}

func (l limitedWorkflows) WhatIf(ctx context.Context, q engine.WhatIfQuery) (*engine.WhatIf, error) {
	if err := l.allSessions(ctx, q.Workflow); err != nil {
		return nil, err
	}
	return l.e.WhatIf(ctx, q)
}

func (l limitedWorkflows) Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error) {
	return of(ctx, l.limits, workflow, func() ([]engine.Lane, error) { return l.e.Lanes(ctx, workflow, limit) })
}

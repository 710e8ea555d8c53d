package shard

import (
	"cmp"
	"context"
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// workflows are read and edited, each in its home.
type workflows struct{ *homes }

// byHome groups workflow ids by their homes.
func (s workflows) byHome(ids []string) (groups []rowsOf[string]) {
	for i, id := range ids {
		groups = addRow(groups, s.home(id), id, i)
	}
	return groups
}

// Workflows reads each workflow in its home. What another database has of it does not count.
func (s workflows) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*graph.Workflow, error) {
	lists, err := allOrError(askGroups(ctx, s.byHome(ids), func(st store.Store, ids []string) ([]*graph.Workflow, error) {
		return st.Workflows(ctx, ids, entries)
	}))
	return slices.Concat(lists...), err
}

// WorkflowIDs lists the workflows that are in their home. Check finds the others.
func (s workflows) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	lists, err := allOrError(ask(ctx, s.databases, func(st store.Store) ([]store.WorkflowInfo, error) { return st.WorkflowIDs(ctx) }))
	if err != nil {
		return nil, err
	}
	var all []store.WorkflowInfo
	for i, list := range lists {
		for _, w := range list {
			if s.home(w.ID) == s.databases[i] {
				all = append(all, w)
			}
		}
	}
	sorting.By(all, func(a, b *store.WorkflowInfo) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// EditWorkflow edits a workflow in its home.
func (s workflows) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	return call(ctx, s.home(edit.Workflow), func(st store.Store) (*graph.Workflow, error) { return st.EditWorkflow(ctx, edit) })
}

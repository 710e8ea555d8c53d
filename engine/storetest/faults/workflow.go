package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Workflows calls the store below as planned.
func (s *Store) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*graph.Workflow, error) {
	return read(s, "Workflows", func() ([]*graph.Workflow, error) { return s.inner.Workflows(ctx, ids, entries) })
}

// WorkflowIDs calls the store below as planned.
func (s *Store) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	return read(s, "WorkflowIDs", func() ([]store.WorkflowInfo, error) { return s.inner.WorkflowIDs(ctx) })
}

// EditWorkflow calls the store below as planned.
func (s *Store) EditWorkflow(ctx context.Context, edit store.Edit) (*graph.Workflow, error) {
	return write(s, "EditWorkflow", func() (*graph.Workflow, error) { return s.inner.EditWorkflow(ctx, edit) })
}

// Definitions calls the store below as planned.
func (s *Store) Definitions(ctx context.Context, hashes []string) ([]graph.StoredDefinition, error) {
	return read(s, "Definitions", func() ([]graph.StoredDefinition, error) { return s.inner.Definitions(ctx, hashes) })
}

// StepDefinitions calls the store below as planned.
func (s *Store) StepDefinitions(ctx context.Context, workflow, step string) ([]graph.StoredDefinition, error) {
	return read(s, "StepDefinitions", func() ([]graph.StoredDefinition, error) { return s.inner.StepDefinitions(ctx, workflow, step) })
}

// SaveDefinitions calls the store below as planned.
func (s *Store) SaveDefinitions(ctx context.Context, definitions []graph.StoredDefinition) error {
	_, err := write(s, "SaveDefinitions", only(func() error { return s.inner.SaveDefinitions(ctx, definitions) }))
	return err
}

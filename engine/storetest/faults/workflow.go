package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// Workflows calls the store below as planned.
func (s *Store) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	return read(s, "Workflows", func() ([]*engine.Workflow, error) { return s.inner.Workflows(ctx, ids, entries) })
}

// WorkflowIDs calls the store below as planned.
func (s *Store) WorkflowIDs(ctx context.Context) ([]engine.WorkflowInfo, error) {
	return read(s, "WorkflowIDs", func() ([]engine.WorkflowInfo, error) { return s.inner.WorkflowIDs(ctx) })
}

// EditWorkflow calls the store below as planned.
func (s *Store) EditWorkflow(ctx context.Context, edit engine.Edit) (*engine.Workflow, error) {
	return write(s, "EditWorkflow", func() (*engine.Workflow, error) { return s.inner.EditWorkflow(ctx, edit) })
}

// Definitions calls the store below as planned.
func (s *Store) Definitions(ctx context.Context, hashes []string) ([]engine.StoredDefinition, error) {
	return read(s, "Definitions", func() ([]engine.StoredDefinition, error) { return s.inner.Definitions(ctx, hashes) })
}

// StepDefinitions calls the store below as planned.
func (s *Store) StepDefinitions(ctx context.Context, workflow, step string) ([]engine.StoredDefinition, error) {
	return read(s, "StepDefinitions", func() ([]engine.StoredDefinition, error) { return s.inner.StepDefinitions(ctx, workflow, step) })
}

// SaveDefinitions calls the store below as planned.
func (s *Store) SaveDefinitions(ctx context.Context, definitions []engine.StoredDefinition) error {
	_, err := write(s, "SaveDefinitions", only(func() error { return s.inner.SaveDefinitions(ctx, definitions) }))
	return err
}

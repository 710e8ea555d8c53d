package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// LimitedWorkflows calls the store below as planned.
func (s *Store) LimitedWorkflows(ctx context.Context) ([]*graph.Workflow, error) {
	return read(s, "LimitedWorkflows", func() ([]*graph.Workflow, error) { return s.inner.LimitedWorkflows(ctx) })
}

// TakeTurns calls the store below as planned.
func (s *Store) TakeTurns(ctx context.Context, q store.TurnQuery) (store.TurnsTaken, error) {
	return write(s, "TakeTurns", func() (store.TurnsTaken, error) { return s.inner.TakeTurns(ctx, q) })
}

// Turn calls the store below as planned.
func (s *Store) Turn(ctx context.Context, session string) (*store.Turn, error) {
	return read(s, "Turn", func() (*store.Turn, error) { return s.inner.Turn(ctx, session) })
}

// Lanes calls the store below as planned.
func (s *Store) Lanes(ctx context.Context, workflow string, limit int) ([]store.Lane, error) {
	return read(s, "Lanes", func() ([]store.Lane, error) { return s.inner.Lanes(ctx, workflow, limit) })
}

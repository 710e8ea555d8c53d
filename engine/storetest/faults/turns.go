package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// LimitedWorkflows calls the store below as planned.
func (s *Store) LimitedWorkflows(ctx context.Context) ([]*engine.Workflow, error) {
	return read(s, "LimitedWorkflows", func() ([]*engine.Workflow, error) { return s.inner.LimitedWorkflows(ctx) })
}

// TakeTurns calls the store below as planned.
func (s *Store) TakeTurns(ctx context.Context, q engine.TurnQuery) (engine.TurnsTaken, error) {
	return write(s, "TakeTurns", func() (engine.TurnsTaken, error) { return s.inner.TakeTurns(ctx, q) })
}

// Turn calls the store below as planned.
func (s *Store) Turn(ctx context.Context, session string) (*engine.Turn, error) {
	return read(s, "Turn", func() (*engine.Turn, error) { return s.inner.Turn(ctx, session) })
}

// Lanes calls the store below as planned.
func (s *Store) Lanes(ctx context.Context, workflow string, limit int) ([]engine.Lane, error) {
	return read(s, "Lanes", func() ([]engine.Lane, error) { return s.inner.Lanes(ctx, workflow, limit) })
}

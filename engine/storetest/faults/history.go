package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Executions calls the store below as planned.
func (s *Store) Executions(ctx context.Context, session string, q store.HistoryQuery) ([]store.Execution, error) {
	return read(s, "Executions", func() ([]store.Execution, error) { return s.inner.Executions(ctx, session, q) })
}

// RecentExecutions calls the store below as planned.
func (s *Store) RecentExecutions(ctx context.Context, of []store.ExecutionsBefore, limit int) (map[string][]store.Execution, error) {
	return read(s, "RecentExecutions", func() (map[string][]store.Execution, error) { return s.inner.RecentExecutions(ctx, of, limit) })
}

// Messages calls the store below as planned.
func (s *Store) Messages(ctx context.Context, session string, q store.HistoryQuery) ([]function.Message, error) {
	return read(s, "Messages", func() ([]function.Message, error) { return s.inner.Messages(ctx, session, q) })
}

// Blobs calls the store below as planned.
func (s *Store) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	return read(s, "Blobs", func() (map[string][]byte, error) { return s.inner.Blobs(ctx, session, hashes) })
}

// Results calls the store below as planned.
func (s *Store) Results(ctx context.Context, session, step string, visit int) ([]store.StoredResult, error) {
	return read(s, "Results", func() ([]store.StoredResult, error) { return s.inner.Results(ctx, session, step, visit) })
}

// AllRequests calls the store below as planned.
func (s *Store) AllRequests(ctx context.Context, session string, q store.HistoryQuery) ([]store.Request, error) {
	return read(s, "AllRequests", func() ([]store.Request, error) { return s.inner.AllRequests(ctx, session, q) })
}

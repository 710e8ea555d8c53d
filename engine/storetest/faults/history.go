package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// Executions calls the store below as planned.
func (s *Store) Executions(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Execution, error) {
	return read(s, "Executions", func() ([]engine.Execution, error) { return s.inner.Executions(ctx, session, q) })
}

// Messages calls the store below as planned.
func (s *Store) Messages(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Message, error) {
	return read(s, "Messages", func() ([]engine.Message, error) { return s.inner.Messages(ctx, session, q) })
}

// Blobs calls the store below as planned.
func (s *Store) Blobs(ctx context.Context, session string, hashes []string) (map[string][]byte, error) {
	return read(s, "Blobs", func() (map[string][]byte, error) { return s.inner.Blobs(ctx, session, hashes) })
}

// Results calls the store below as planned.
func (s *Store) Results(ctx context.Context, session, step string, visit int) ([]engine.StoredResult, error) {
	return read(s, "Results", func() ([]engine.StoredResult, error) { return s.inner.Results(ctx, session, step, visit) })
}

// AllRequests calls the store below as planned.
func (s *Store) AllRequests(ctx context.Context, session string, q engine.HistoryQuery) ([]engine.Request, error) {
	return read(s, "AllRequests", func() ([]engine.Request, error) { return s.inner.AllRequests(ctx, session, q) })
}

package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// OldestSessions calls the store below as planned.
func (s *Store) OldestSessions(ctx context.Context, after engine.Cursor, limit int) ([]engine.SessionRecord, error) {
	return read(s, "OldestSessions", func() ([]engine.SessionRecord, error) { return s.inner.OldestSessions(ctx, after, limit) })
}

// RemoveFamily calls the store below as planned.
func (s *Store) RemoveFamily(ctx context.Context, marks []engine.SessionMark) (engine.Removal, error) {
	return write(s, "RemoveFamily", func() (engine.Removal, error) { return s.inner.RemoveFamily(ctx, marks) })
}

// TakeDuty calls the store below as planned.
func (s *Store) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	return write(s, "TakeDuty", func() (bool, error) { return s.inner.TakeDuty(ctx, name, owner, d) })
}

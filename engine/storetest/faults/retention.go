package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// OldestSessions calls the store below as planned.
func (s *Store) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	return read(s, "OldestSessions", func() ([]store.SessionRecord, error) { return s.inner.OldestSessions(ctx, after, limit) })
}

// Parents calls the store below as planned.
func (s *Store) Parents(ctx context.Context, ids []string) ([]string, error) {
	return read(s, "Parents", func() ([]string, error) { return s.inner.Parents(ctx, ids) })
}

// RemoveFamilies calls the store below as planned.
func (s *Store) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	return write(s, "RemoveFamilies", func() ([]store.Removal, error) { return s.inner.RemoveFamilies(ctx, families) })
}

// TakeDuty calls the store below as planned.
func (s *Store) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	return write(s, "TakeDuty", func() (bool, error) { return s.inner.TakeDuty(ctx, name, owner, d) })
}

package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine"
)

// Create calls the store below as planned.
func (s *Store) Create(ctx context.Context, sessions []engine.NewSession) ([]engine.Created, error) {
	return write(s, "Create", func() ([]engine.Created, error) { return s.inner.Create(ctx, sessions) })
}

// Session calls the store below as planned.
func (s *Store) Session(ctx context.Context, id string) (*engine.SessionRecord, error) {
	return read(s, "Session", func() (*engine.SessionRecord, error) { return s.inner.Session(ctx, id) })
}

// SessionsByID calls the store below as planned.
func (s *Store) SessionsByID(ctx context.Context, ids []string) ([]engine.SessionRecord, error) {
	return read(s, "SessionsByID", func() ([]engine.SessionRecord, error) { return s.inner.SessionsByID(ctx, ids) })
}

// ListSessions calls the store below as planned.
func (s *Store) ListSessions(ctx context.Context, q engine.SessionQuery) ([]engine.SessionRecord, error) {
	return read(s, "ListSessions", func() ([]engine.SessionRecord, error) { return s.inner.ListSessions(ctx, q) })
}

// Candidates calls the store below as planned.
func (s *Store) Candidates(ctx context.Context, q engine.SessionQuery, count string) (found []engine.Cursor, whole bool, err error) {
	found, err = read(s, "Candidates", func() (list []engine.Cursor, err error) {
		list, whole, err = s.inner.Candidates(ctx, q, count)
		return list, err
	})
	return found, whole, err
}

// CountSessions calls the store below as planned.
func (s *Store) CountSessions(ctx context.Context, q engine.SessionQuery, by string) (map[string]int64, error) {
	return read(s, "CountSessions", func() (map[string]int64, error) { return s.inner.CountSessions(ctx, q, by) })
}

// Descendants calls the store below as planned.
func (s *Store) Descendants(ctx context.Context, q engine.DescendantQuery) ([]engine.SessionRecord, error) {
	return read(s, "Descendants", func() ([]engine.SessionRecord, error) { return s.inner.Descendants(ctx, q) })
}

// Children calls the store below as planned.
func (s *Store) Children(ctx context.Context, parent string) ([]string, error) {
	return read(s, "Children", func() ([]string, error) { return s.inner.Children(ctx, parent) })
}

// DeleteSession calls the store below as planned.
func (s *Store) DeleteSession(ctx context.Context, id string) (bool, error) {
	return write(s, "DeleteSession", func() (bool, error) { return s.inner.DeleteSession(ctx, id) })
}

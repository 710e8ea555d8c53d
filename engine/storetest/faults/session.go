package faults

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Create calls the store below as planned.
func (s *Store) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	return write(s, "Create", func() ([]store.Created, error) { return s.inner.Create(ctx, sessions) })
}

// Session calls the store below as planned.
func (s *Store) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	return read(s, "Session", func() (*store.SessionRecord, error) { return s.inner.Session(ctx, id) })
}

// SessionsByID calls the store below as planned.
func (s *Store) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	return read(s, "SessionsByID", func() ([]store.SessionRecord, error) { return s.inner.SessionsByID(ctx, ids) })
}

// ListSessions calls the store below as planned.
func (s *Store) ListSessions(ctx context.Context, q store.SessionQuery) ([]store.SessionRecord, error) {
	return read(s, "ListSessions", func() ([]store.SessionRecord, error) { return s.inner.ListSessions(ctx, q) })
}

// Candidates calls the store below as planned.
func (s *Store) Candidates(ctx context.Context, q store.SessionQuery, count string) (found []store.Cursor, whole bool, err error) {
	found, err = read(s, "Candidates", func() (list []store.Cursor, err error) {
		list, whole, err = s.inner.Candidates(ctx, q, count)
		return list, err
	})
	return found, whole, err
}

// CountSessions calls the store below as planned.
func (s *Store) CountSessions(ctx context.Context, q store.SessionQuery, by string) (map[string]int64, error) {
	return read(s, "CountSessions", func() (map[string]int64, error) { return s.inner.CountSessions(ctx, q, by) })
}

// Descendants calls the store below as planned.
func (s *Store) Descendants(ctx context.Context, q store.DescendantQuery) ([]store.SessionRecord, error) {
	return read(s, "Descendants", func() ([]store.SessionRecord, error) { return s.inner.Descendants(ctx, q) })
}

// Children calls the store below as planned.
func (s *Store) Children(ctx context.Context, parent string) ([]string, error) {
	return read(s, "Children", func() ([]string, error) { return s.inner.Children(ctx, parent) })
}

// DeleteSession calls the store below as planned.
func (s *Store) DeleteSession(ctx context.Context, id string) (bool, error) {
	return write(s, "DeleteSession", func() (bool, error) { return s.inner.DeleteSession(ctx, id) })
}

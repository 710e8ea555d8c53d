package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Announce calls the store below as planned.
func (s *Store) Announce(ctx context.Context, a store.Announcement, forget time.Duration) error {
	_, err := write(s, "Announce", only(func() error { return s.inner.Announce(ctx, a, forget) }))
	return err
}

// Engines calls the store below as planned.
func (s *Store) Engines(ctx context.Context, within time.Duration) ([]store.Announcement, error) {
	return read(s, "Engines", func() ([]store.Announcement, error) { return s.inner.Engines(ctx, within) })
}

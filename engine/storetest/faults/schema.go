package faults

import (
	"context"
	"time"
)

// Migrate calls the store below as planned.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	return write(s, "Migrate", func() ([]string, error) { return s.inner.Migrate(ctx) })
}

// Now calls the store below as planned.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	return read(s, "Now", func() (time.Time, error) { return s.inner.Now(ctx) })
}

// Ping calls the store below as planned.
func (s *Store) Ping(ctx context.Context) error {
	_, err := read(s, "Ping", only(func() error { return s.inner.Ping(ctx) }))
	return err
}

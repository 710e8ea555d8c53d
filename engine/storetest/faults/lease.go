package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Claim calls the store below as planned.
func (s *Store) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	return write(s, "Claim", func() ([]store.Claimed, error) { return s.inner.Claim(ctx, o) })
}

// ClaimByID calls the store below as planned.
func (s *Store) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	return write(s, "ClaimByID", func() ([]store.Claimed, error) { return s.inner.ClaimByID(ctx, ids, o) })
}

// Extend calls the store below as planned.
func (s *Store) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	return write(s, "Extend", func() ([]string, error) { return s.inner.Extend(ctx, leases, by) })
}

// Commit calls the store below as planned.
func (s *Store) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	return write(s, "Commit", func() ([]store.CommitResult, error) { return s.inner.Commit(ctx, checkpoints) })
}

// NextDue calls the store below as planned.
func (s *Store) NextDue(ctx context.Context) (time.Time, error) {
	return read(s, "NextDue", func() (time.Time, error) { return s.inner.NextDue(ctx) })
}

// LongestDue calls the store below as planned.
func (s *Store) LongestDue(ctx context.Context, limit int) ([]string, error) {
	return read(s, "LongestDue", func() ([]string, error) { return s.inner.LongestDue(ctx, limit) })
}

// WakePending calls the store below as planned.
func (s *Store) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	return write(s, "WakePending", func() (int, error) { return s.inner.WakePending(ctx, workflow, definition, limit) })
}

// PendingWorkflows calls the store below as planned.
func (s *Store) PendingWorkflows(ctx context.Context) ([]string, error) {
	return read(s, "PendingWorkflows", func() ([]string, error) { return s.inner.PendingWorkflows(ctx) })
}

// Release calls the store below as planned.
func (s *Store) Release(ctx context.Context, leases []store.LeaseRef) error {
	_, err := write(s, "Release", only(func() error { return s.inner.Release(ctx, leases) }))
	return err
}

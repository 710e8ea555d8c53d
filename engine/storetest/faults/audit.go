package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// RecordAudit calls the store below as planned.
func (s *Store) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	_, err := write(s, "RecordAudit", only(func() error { return s.inner.RecordAudit(ctx, entries) }))
	return err
}

// AuditEntries calls the store below as planned.
func (s *Store) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	return read(s, "AuditEntries", func() ([]store.AuditEntry, error) { return s.inner.AuditEntries(ctx, q) })
}

// ForgetAudit calls the store below as planned.
func (s *Store) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	return write(s, "ForgetAudit", func() (int, error) { return s.inner.ForgetAudit(ctx, before, limit) })
}

package storetest

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

func (p retryingStore) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	_, err := again(ctx, only(func() error { return p.Store.RecordAudit(ctx, entries) }))
	return err
}

func (p retryingStore) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	return again(ctx, func() ([]store.AuditEntry, error) { return p.Store.AuditEntries(ctx, q) })
}

func (p retryingStore) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	return again(ctx, func() (int, error) { return p.Store.ForgetAudit(ctx, before, limit) })
}

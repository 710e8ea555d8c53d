package storetest

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

func (p patient) RecordAudit(ctx context.Context, entries []engine.AuditEntry) error {
	_, err := again(ctx, only(func() error { return p.Store.RecordAudit(ctx, entries) }))
	return err
}

func (p patient) AuditEntries(ctx context.Context, q engine.AuditQuery) ([]engine.AuditEntry, error) {
	return again(ctx, func() ([]engine.AuditEntry, error) { return p.Store.AuditEntries(ctx, q) })
}

func (p patient) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	return again(ctx, func() (int, error) { return p.Store.ForgetAudit(ctx, before, limit) })
}

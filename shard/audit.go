package shard

import (
	"cmp"
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// auditTrail holds the log of who did what.
type auditTrail struct{ *homes }

// RecordAudit writes each entry into the database that it concerns: that of its session or its
// workflow, otherwise the default one. So an operation on one database does not wait for another.
// If that database fails, one that answers takes the entry.
func (s auditTrail) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	var groups []rowsOf[store.AuditEntry]
	for i := range entries {
		groups = addRow(groups, s.auditHome(ctx, &entries[i]), entries[i], i)
	}
	answers := askGroups(ctx, groups, func(st store.Store, rows []store.AuditEntry) (struct{}, error) {
		return struct{}{}, st.RecordAudit(ctx, rows)
	})
	for i, a := range answers {
		if a.err != nil {
			answers[i].err = s.recordElsewhere(ctx, a.of, groups[i].rows, a.err)
		}
	}
	return faults(answers)
}

// auditHome is the database of an entry. A refused request may name anything, and is not looked up.
func (s auditTrail) auditHome(ctx context.Context, e *store.AuditEntry) *database {
	if e.Session != "" && !e.Refused {
		if at := s.locateAll(ctx, []string{e.Session})[e.Session]; at.home != nil {
			return at.home
		}
	}
	if e.Workflow != "" {
		return s.home(e.Workflow)
	}
	return s.main()
}

func (s auditTrail) recordElsewhere(ctx context.Context, failed *database, entries []store.AuditEntry, err error) error {
	for _, d := range s.databases {
		if d == failed || d.outage() != nil || !unreachable(err) {
			continue
		}
		if err := do(ctx, d, func(st store.Store) error { return st.RecordAudit(ctx, entries) }); err == nil {
			return nil
		}
	}
	return err
}

// AuditEntries merges the entries of all databases.
func (s auditTrail) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	pages, err := allOrError(ask(ctx, s.databases, func(st store.Store) ([]store.AuditEntry, error) { return st.AuditEntries(ctx, q) }))
	if err != nil {
		return nil, err
	}
	return merge(pages, page(q.Limit), func(a, b *store.AuditEntry) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) }), nil
}

// ForgetAudit goes through the databases until the limit is reached.
func (s auditTrail) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	return upTo(ctx, s.homes, limit, func(st store.Store, limit int) (int, error) { return st.ForgetAudit(ctx, before, limit) })
}

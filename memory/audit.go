package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// maxAudit bounds the entries of a store in memory; the oldest are dropped.
const maxAudit = 100_000

// auditTrail holds the log of who did what.
type auditTrail struct{ *data }

// RecordAudit keeps entries.
func (s auditTrail) RecordAudit(ctx context.Context, entries []store.AuditEntry) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	for _, e := range entries {
		e.At, e.Before, e.After = e.At.UTC().Truncate(time.Microsecond), slices.Clone(e.Before), slices.Clone(e.After)
		at, there := slices.BinarySearchFunc(s.audit, e, compareAudit)
		if !there {
			s.audit = slices.Insert(s.audit, at, e)
		}
	}
	if over := len(s.audit) - maxAudit; over > 0 {
		s.audit = slices.Delete(s.audit, 0, over)
	}
	return nil
}

func compareAudit(a, b store.AuditEntry) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
}

// AuditEntries returns one page, newest first.
func (s auditTrail) AuditEntries(ctx context.Context, q store.AuditQuery) ([]store.AuditEntry, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	page := []store.AuditEntry{}
	for _, e := range slices.Backward(s.audit) {
		if !fitsAudit(&q, &e) {
			continue
		}
		e.Before, e.After = slices.Clone(e.Before), slices.Clone(e.After)
		if page = append(page, e); len(page) == limit {
			break
		}
	}
	return page, nil
}

func fitsAudit(q *store.AuditQuery, e *store.AuditEntry) bool {
	fits := func(want, got string) bool { return want == "" || want == got }
	return fits(q.Who, e.Who) && fits(q.Action, e.Action) && fits(q.Workflow, e.Workflow) && fits(q.Session, e.Session) &&
		(!q.Refused || e.Refused) && (q.Since.IsZero() || !e.At.Before(q.Since)) && (q.Until.IsZero() || e.At.Before(q.Until)) &&
		(q.After.ID == "" || compareAudit(*e, store.AuditEntry{At: q.After.At, ID: q.After.ID}) < 0)
}

// ForgetAudit removes old entries.
func (s auditTrail) ForgetAudit(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	n := 0
	for n < len(s.audit) && n < limit && s.audit[n].At.Before(before) {
		n++
	}
	s.audit = slices.Delete(s.audit, 0, n)
	return n, nil
}

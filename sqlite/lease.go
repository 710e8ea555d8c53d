package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// leases are taken, extended and given back; what is due and waits for a worker.
type leases struct{ *db }

// Extend extends the leases that still stand and returns the sessions of the others.
func (s leases) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	if len(leases) == 0 {
		return nil, nil
	}
	var lost []string
	err := s.writer.write(ctx, "extend leases", func(t *tx) error {
		lost = nil
		until := t.now + by.Microseconds()
		for _, l := range leases {
			stands, err := t.onLease("lease_extend", l, until)
			if err != nil {
				return err
			}
			if !stands {
				lost = append(lost, l.Session)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lost, nil
}

// Release gives back the leases that still stand.
func (s leases) Release(ctx context.Context, leases []store.LeaseRef) error {
	if len(leases) == 0 {
		return nil
	}
	return s.writer.write(ctx, "release leases", func(t *tx) error {
		for _, l := range leases {
			if _, err := t.onLease("lease_release", l, t.now); err != nil {
				return err
			}
		}
		return nil
	})
}

// onLease runs a statement guarded by a lease and reports whether the lease was current. An empty
// token never matches, although a session without a lease stores an empty token.
func (t *tx) onLease(statement string, l store.LeaseRef, at int64) (bool, error) {
	if l.Token == "" {
		return false, nil
	}
	changed, err := t.exec(statement, l.Session, l.Token, at)
	return changed > 0, err
}

// NextDue returns the earliest due_at of all, the zero time when there is none.
func (s leases) NextDue(ctx context.Context) (time.Time, error) {
	var due sql.NullInt64
	err := s.reader.row(ctx, "next_due", func(row scanner) error { return row.Scan(&due) })
	if err != nil {
		return time.Time{}, fault("next due", err)
	}
	return fromMicros(due), nil
}

// WakePending makes pending sessions of a workflow due at once that no lease holds, at most limit.
func (s leases) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	var woken int64
	err := s.writer.write(ctx, "wake pending sessions of "+workflow, func(t *tx) (err error) {
		woken, err = t.exec("wake_pending", workflow, t.now, limit, orElse(definition, "none"))
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(woken), nil
}

// PendingWorkflows lists the workflows that have pending sessions.
func (s leases) PendingWorkflows(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.reader.each(ctx, "pending_workflows", func(row scanner) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return nil, fault("pending workflows", err)
	}
	return ids, nil
}

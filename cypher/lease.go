package cypher

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Extend extends leases that are still held and returns the sessions of the others.
func (s leases) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) ([]string, error) {
	if len(leases) == 0 {
		return nil, nil
	}
	rows, err := s.write(ctx, queryExtend, params{"rows": leaseRows(leases), "by": milliseconds(by)})
	if err != nil {
		return nil, err
	}
	held := make(map[string]bool, len(rows))
	for _, r := range rows {
		held[r.text("id")] = true
	}
	var lost []string
	for _, l := range leases {
		if !held[l.Session] {
			lost = append(lost, l.Session)
		}
	}
	return lost, nil
}

// Release gives leases back without a checkpoint.
func (s leases) Release(ctx context.Context, leases []store.LeaseRef) error {
	if len(leases) == 0 {
		return nil
	}
	_, err := s.write(ctx, queryRelease, params{"rows": leaseRows(leases)})
	return err
}

// NextDue returns the earliest due_at of all.
func (s leases) NextDue(ctx context.Context) (time.Time, error) {
	rows, err := s.read(ctx, queryNextDue, nil)
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return rows[0].time("due_at"), nil
}

// LongestDue returns the ids of sessions that have been due the longest.
func (s leases) LongestDue(ctx context.Context, limit int) ([]string, error) {
	return s.candidates(ctx, limit, nil, nil)
}

// WakePending makes pending sessions of a workflow due that no lease holds, at most limit.
func (s leases) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	rows, err := s.write(ctx, queryWakePending, params{"workflow": workflow, "definition": definition, "limit": limit})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return int(rows[0].number("woken")), nil
}

// PendingWorkflows lists the workflows with pending sessions. It is asked once a second,
// so it steps through the index from one workflow to the next: where nothing is pending
// it reads nothing.
func (s leases) PendingWorkflows(ctx context.Context) ([]string, error) {
	var list []string
	after := ""
	for {
		rows, err := s.read(ctx, queryPendingWorkflow, params{"after": after})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return list, nil
		}
		after = rows[0].text("workflow")
		list = append(list, after)
	}
}

package shard

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// leases are taken, extended and given back; what is due and waits for a worker.
type leases struct {
	*homes
	claims *atomic.Uint64 // how many Claims there were
}

// ClaimByID leases sessions, wherever they are.
func (s leases) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	groups, _ := group(ctx, s.homes, ids, func(id *string) string { return *id })
	return claimedOf(askGroups(ctx, groups, func(st store.Store, ids []string) ([]store.Claimed, error) { return st.ClaimByID(ctx, ids, o) }))
}

// claimedOf joins what was claimed. What one database gave is not lost because another failed.
func claimedOf(answers []answer[[]store.Claimed]) ([]store.Claimed, error) {
	given, err := anyOrError(answers)
	if len(answers) == 0 {
		return nil, nil
	}
	var all []store.Claimed
	for _, a := range given {
		all = append(all, a.out...)
	}
	return all, err
}

// Extend extends leases. With an error, the sessions it returns have lost theirs, and those of the
// databases that failed are not extended.
func (s leases) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) (lost []string, err error) {
	groups, unknown := group(ctx, s.homes, leases, func(l *store.LeaseRef) string { return l.Session })
	answers := sideBySide(ctx, homesOf(groups), func(ctx context.Context, d *database) ([]string, error) {
		return brief(ctx, d, func(ctx context.Context, st store.Store) ([]string, error) {
			return st.Extend(ctx, rowsIn(groups, d), by)
		})
	})
	for _, a := range answers {
		lost = append(lost, a.out...)
	}
	if err = faults(answers); err == nil {
		err = anyOf(unknown)
	}
	return lost, err
}

// Release ends leases.
func (s leases) Release(ctx context.Context, leases []store.LeaseRef) error {
	groups, unknown := group(ctx, s.homes, leases, func(l *store.LeaseRef) string { return l.Session })
	err := faults(askGroups(ctx, groups, func(st store.Store, rows []store.LeaseRef) (struct{}, error) {
		return struct{}{}, st.Release(ctx, rows)
	}))
	if err == nil {
		err = anyOf(unknown)
	}
	return err
}

// NextDue is the earliest due time of the databases that answer.
func (s leases) NextDue(ctx context.Context) (earliest time.Time, err error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) (time.Time, error) { return st.NextDue(ctx) })
	for _, a := range answers {
		if !a.out.IsZero() && (earliest.IsZero() || a.out.Before(earliest)) {
			earliest = a.out
		}
	}
	return earliest, err
}

// LongestDue takes turns between the databases that answer: each gives an equal part of the rows.
// Their ids alone do not say which of two has been due for longer.
func (s leases) LongestDue(ctx context.Context, limit int) ([]string, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) ([]string, error) { return st.LongestDue(ctx, limit) })
	var all []string
	for row := 0; len(all) < limit; row++ {
		before := len(all)
		for _, a := range answers {
			if row < len(a.out) && len(all) < limit {
				all = append(all, a.out[row])
			}
		}
		if len(all) == before {
			break
		}
	}
	return all, err
}

// WakePending goes through the databases until the limit is reached. One that fails does not keep
// it from the others.
func (s leases) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	return upTo(ctx, s.homes, limit, func(st store.Store, limit int) (int, error) { return st.WakePending(ctx, workflow, definition, limit) })
}

// PendingWorkflows lists those of the databases that answer.
func (s leases) PendingWorkflows(ctx context.Context) ([]string, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) ([]string, error) { return st.PendingWorkflows(ctx) })
	var all []string
	for _, a := range answers {
		all = append(all, a.out...)
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

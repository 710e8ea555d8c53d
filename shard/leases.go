package shard

import (
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ClaimByID leases sessions, wherever they are.
func (s *Store) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	groups, _ := group(ctx, s, ids, func(id *string) string { return *id })
	return claimedOf(askGroups(ctx, groups, func(st store.Store, ids []string) ([]store.Claimed, error) { return st.ClaimByID(ctx, ids, o) }))
}

// claimedOf joins what was claimed. What one database gave is not lost because another failed.
func claimedOf(answers []answer[[]store.Claimed]) ([]store.Claimed, error) {
	given, err := some(answers)
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
func (s *Store) Extend(ctx context.Context, leases []store.LeaseRef, by time.Duration) (lost []string, err error) {
	groups, unknown := group(ctx, s, leases, func(l *store.LeaseRef) string { return l.Session })
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
func (s *Store) Release(ctx context.Context, leases []store.LeaseRef) error {
	groups, unknown := group(ctx, s, leases, func(l *store.LeaseRef) string { return l.Session })
	err := faults(askGroups(ctx, groups, func(st store.Store, rows []store.LeaseRef) (struct{}, error) {
		return struct{}{}, st.Release(ctx, rows)
	}))
	if err == nil {
		err = anyOf(unknown)
	}
	return err
}

// Commit applies checkpoints. When one database fails, the caller sends all of them again: the
// others know theirs by their transitions. Package commit makes a call for each database.
func (s *Store) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	groups, unknown := group(ctx, s, checkpoints, func(c *store.Checkpoint) string { return c.Session })
	answers := sideBySide(ctx, homesOf(groups), func(ctx context.Context, d *database) ([]store.CommitResult, error) {
		rows := rowsIn(groups, d)
		s.bringDefinitions(ctx, d, rows)
		return call(ctx, d, func(st store.Store) ([]store.CommitResult, error) { return st.Commit(ctx, rows) })
	})
	results, err := whole(answers)
	if err == nil {
		err = anyOf(unknown)
	}
	if err != nil {
		return nil, err
	}
	out := make([]store.CommitResult, len(checkpoints))
	for g := range groups {
		for n, i := range groups[g].at {
			out[i] = results[g][n]
		}
	}
	return out, nil
}

// NextDue is the earliest due time of the databases that answer.
func (s *Store) NextDue(ctx context.Context) (earliest time.Time, err error) {
	answers, err := background(ctx, s, func(ctx context.Context, st store.Store) (time.Time, error) { return st.NextDue(ctx) })
	for _, a := range answers {
		if !a.out.IsZero() && (earliest.IsZero() || a.out.Before(earliest)) {
			earliest = a.out
		}
	}
	return earliest, err
}

// WakePending goes through the databases until the limit is reached. One that fails does not keep
// it from the others.
func (s *Store) WakePending(ctx context.Context, workflow, definition string, limit int) (int, error) {
	return upTo(ctx, s, limit, func(st store.Store, limit int) (int, error) { return st.WakePending(ctx, workflow, definition, limit) })
}

// upTo calls f on one database after the other, with what is left of the limit, and returns the sum.
func upTo(ctx context.Context, s *Store, limit int, f func(st store.Store, limit int) (int, error)) (sum int, err error) {
	var failed []answer[int]
	for _, d := range s.databases {
		if sum >= limit {
			break
		}
		n, err := call(ctx, d, func(st store.Store) (int, error) { return f(st, limit-sum) })
		if sum += n; err != nil {
			failed = append(failed, answer[int]{d, n, err})
		}
	}
	return sum, faults(failed)
}

// PendingWorkflows lists those of the databases that answer.
func (s *Store) PendingWorkflows(ctx context.Context) ([]string, error) {
	answers, err := background(ctx, s, func(ctx context.Context, st store.Store) ([]string, error) { return st.PendingWorkflows(ctx) })
	var all []string
	for _, a := range answers {
		all = append(all, a.out...)
	}
	slices.Sort(all)
	return slices.Compact(all), err
}

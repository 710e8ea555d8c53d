package shard

import (
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// retention removes old sessions, and has the duties that one engine takes at a time.
type retention struct {
	*homes
	batches batches
}

// OldestSessions merges those of the databases that answer. Sessions of a database in trouble are
// passed over and come in a later pass.
func (s retention) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	answers, err := background(ctx, s.homes, func(ctx context.Context, st store.Store) ([]store.SessionRecord, error) {
		return st.OldestSessions(ctx, after, limit)
	})
	if err != nil {
		return nil, err
	}
	pages := make([][]store.SessionRecord, len(answers))
	for i, a := range answers {
		pages[i] = a.out
		for n := range a.out {
			s.known.put(a.out[n].ID, a.of)
		}
	}
	return merge(pages, limit, oldestFirst), nil
}

// Parents asks the databases that have the sessions.
func (s retention) Parents(ctx context.Context, ids []string) ([]string, error) {
	groups, lost := group(ctx, s.homes, ids, func(id *string) string { return *id })
	if err := anyOf(lost); err != nil {
		return nil, err
	}
	pages, err := allOrError(askGroups(ctx, groups, func(st store.Store, ids []string) ([]string, error) { return st.Parents(ctx, ids) }))
	return slices.Concat(pages...), err
}

// groupFamilies puts families together by database. One database has all of a family: where any of
// its sessions is.
func (s retention) groupFamilies(ctx context.Context, families [][]store.SessionMark) (groups []rowsOf[[]store.SessionMark], err error) {
	var ids []string
	for _, m := range slices.Concat(families...) {
		ids = append(ids, m.ID)
	}
	at := s.locateAll(ctx, ids)
	for i, family := range families {
		home := s.main()
		for _, m := range family {
			where := at[m.ID]
			if where.err != nil {
				return nil, where.err
			}
			if where.home != nil {
				home = where.home
			}
		}
		groups = addRow(groups, home, family, i)
	}
	return groups, nil
}

// RemoveFamilies removes families, those of each database in a call of its own.
func (s retention) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	groups, err := s.groupFamilies(ctx, families)
	if err != nil {
		return nil, err
	}
	outcomes := make([]store.Removal, len(families))
	for _, g := range groups {
		if g.of != s.main() {
			busy, err := s.batchAtWork(ctx)
			if err != nil {
				return nil, err
			}
			if busy {
				for _, at := range g.at {
					outcomes[at] = store.InBatch
				}
				continue
			}
		}
		removals, err := call(ctx, g.of, func(st store.Store) ([]store.Removal, error) { return st.RemoveFamilies(ctx, g.rows) })
		if err != nil {
			return nil, err
		}
		for i, removal := range removals {
			outcomes[g.at[i]] = removal
			if removal == store.Removed {
				for _, m := range g.rows[i] {
					s.known.forget(m.ID)
				}
			}
		}
	}
	return outcomes, nil
}

// batchAtWork reports whether any batch is at work. The items of a batch are in the default
// database, so another one cannot check in the transaction of a removal whether a session is among
// them. Its sessions stay until no batch is at work.
func (s retention) batchAtWork(ctx context.Context) (bool, error) {
	for after := (store.Cursor{}); ; {
		list, err := s.batches.ListBatches(ctx, after, batchPage)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(list, func(b store.Batch) bool { return b.Phase != store.BatchComplete && b.Phase != store.BatchStopped }) {
			return true, nil
		}
		if len(list) < batchPage {
			return false, nil
		}
		after = store.Cursor{At: list[len(list)-1].CreatedAt, ID: list[len(list)-1].ID}
	}
}

const batchPage = 200

// TakeDuty takes a duty, in the default database.
func (s retention) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	return call(ctx, s.main(), func(st store.Store) (bool, error) { return st.TakeDuty(ctx, name, owner, d) })
}

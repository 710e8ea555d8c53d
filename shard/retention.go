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

// RemoveFamily removes a family, which one database has as a whole.
func (s retention) RemoveFamily(ctx context.Context, marks []store.SessionMark) (store.Removal, error) {
	groups, lost := group(ctx, s.homes, marks, func(m *store.SessionMark) string { return m.ID })
	if err := anyOf(lost); err != nil {
		return "", err
	}
	outcome := store.Removed
	for _, g := range groups {
		if g.of != s.main() {
			if busy, err := s.batchAtWork(ctx); err != nil || busy {
				return store.InBatch, err
			}
		}
		removal, err := call(ctx, g.of, func(st store.Store) (store.Removal, error) { return st.RemoveFamily(ctx, g.rows) })
		if err != nil || removal != store.Removed {
			return removal, err
		}
		for _, m := range g.rows {
			s.known.forget(m.ID)
		}
	}
	return outcome, nil
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

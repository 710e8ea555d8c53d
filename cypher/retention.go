package cypher

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// sessionNodes is what a session counts at least when it is removed: each takes seven
// statements, however little it has, and a transaction is bounded in time, too.
const sessionNodes = 20

// retention removes old families of sessions.
type retention struct{ *db }

// OldestSessions reads a page by the index on created_at.
func (s retention) OldestSessions(ctx context.Context, after engine.Cursor, limit int) ([]engine.SessionRecord, error) {
	rows, err := s.read(ctx, querySessionsOldest, params{"after_at": stamp(after.At), "after_id": after.ID, "limit": limit})
	return sessionsFrom(rows), err
}

// RemoveFamily removes marked sessions, at most deleteBatch nodes a call.
func (s retention) RemoveFamily(ctx context.Context, marks []engine.SessionMark) (engine.Removal, error) {
	var outcome engine.Removal
	// Repeating is right also where the outcome is unknown: what has gone counts as removed.
	err := s.together(ctx, "remove sessions", true, func(t transaction) (err error) {
		outcome, err = removeFamily(ctx, t, marks)
		return err
	})
	if err != nil {
		return "", err
	}
	return outcome, nil
}

func removeFamily(ctx context.Context, t transaction, marks []engine.SessionMark) (engine.Removal, error) {
	sorted := slices.SortedFunc(slices.Values(marks), func(a, b engine.SessionMark) int { return strings.Compare(a.ID, b.ID) })
	list := make([]any, len(sorted))
	for i, m := range sorted {
		list[i] = params{"id": m.ID, "version": m.Version, "inbox": m.Inbox}
	}
	rows, err := t.query(ctx, queryRemovalLock, params{"marks": list})
	if err != nil {
		return "", err
	}
	there, ids := map[string]bool{}, []string{}
	for _, r := range rows {
		if r.yes("changed") {
			return store.Changed, nil // the locks end with the transaction, which has changed nothing people see
		}
		there[r.text("id")] = true
		ids = append(ids, r.text("id"))
	}
	if rows, err = t.query(ctx, queryRemovalInBatch, params{"ids": ids}); err != nil {
		return "", err
	}
	if len(rows) > 0 {
		return store.InBatch, nil
	}
	if _, err := t.query(ctx, queryRemovalBegin, params{"ids": ids}); err != nil {
		return "", err
	}
	room := int64(deleteBatch)
	for _, m := range marks {
		if !there[m.ID] {
			continue
		}
		if room <= 0 {
			return store.Partly, nil
		}
		left, err := deleteParts(ctx, t, m.ID, room)
		if err != nil {
			return "", err
		}
		if left == 0 {
			return store.Partly, nil
		}
		if _, err := t.query(ctx, queryDeleteSession, params{"id": m.ID}); err != nil {
			return "", err
		}
		room = left - sessionNodes
	}
	return store.Removed, nil
}

// TakeDuty takes, extends or gives back a duty.
func (s retention) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	rows, err := s.write(ctx, queryDutyTake, params{"name": name, "owner": owner, "for": milliseconds(d)})
	return len(rows) == 1, err
}

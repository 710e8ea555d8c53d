package cypher

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// removeSessions is the maximum number of sessions that one RemoveFamilies removes: even an empty
// session costs a lookup for each kind of node.
const removeSessions = 100

// retention removes old families of sessions.
type retention struct{ *db }

// OldestSessions reads a page by the index on created_at.
func (s retention) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	rows, err := s.read(ctx, querySessionsOldest, params{"after_at": stamp(after.At), "after_id": after.ID, "limit": limit})
	return sessionsFrom(rows), err
}

// Parents looks for one session below each of the ids, by the index on id.
func (s retention) Parents(ctx context.Context, ids []string) ([]string, error) {
	rows, err := s.read(ctx, queryParents, params{"ids": ids})
	return textsOf(rows, "id"), err
}

// RemoveFamilies removes families, at most removeSessions and deleteBatch nodes a call.
func (s retention) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	outcomes := make([]store.Removal, len(families))
	// Repeating is right also where the outcome is unknown: what has gone counts as removed.
	err := s.together(ctx, "remove sessions", true, func(t transaction) error {
		return removeFamilies(ctx, t, families[:store.Reach(families, removeSessions)], outcomes)
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

func removeFamilies(ctx context.Context, t transaction, families [][]store.SessionMark, outcomes []store.Removal) error {
	sorted := slices.Concat(families...)
	sorting.By(sorted, func(a, b *store.SessionMark) int { return strings.Compare(a.ID, b.ID) })
	list := make([]any, len(sorted))
	for i, m := range sorted {
		list[i] = params{"id": m.ID, "version": m.Version, "inbox": m.Inbox}
	}
	rows, err := t.query(ctx, queryRemovalLock, params{"marks": list})
	if err != nil {
		return err
	}
	there := textsOf(rows, "id")
	changed := textsOf(slices.DeleteFunc(rows, func(r row) bool { return !r.yes("changed") }), "id")
	rows, err = t.query(ctx, queryRemovalInBatch, params{"ids": there})
	if err != nil {
		return err
	}
	inBatch := textsOf(rows, "id")
	var going []string
	for i, marks := range families {
		if outcomes[i] = store.OutcomeOf(marks, changed, inBatch); outcomes[i] != store.Removed {
			continue // its locks end with the transaction
		}
		for _, m := range marks {
			if _, found := slices.BinarySearch(there, m.ID); found {
				going = append(going, m.ID)
			}
		}
	}
	some := going[:min(len(going), removeSessions)]
	whole, err := deleteContents(ctx, t, some)
	if err != nil || whole && len(some) == len(going) {
		return err
	}
	for i := range families {
		if outcomes[i] == store.Removed {
			outcomes[i] = store.Partly
		}
	}
	_, err = t.query(ctx, queryRemovalBegin, params{"ids": going})
	return err
}

// TakeDuty takes, extends or gives back a duty.
func (s retention) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	rows, err := s.write(ctx, queryDutyTake, params{"name": name, "owner": owner, "for": milliseconds(d)})
	return len(rows) == 1, err
}

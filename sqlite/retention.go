package sqlite

import (
	"context"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// removeSessions is the maximum number of sessions that one RemoveFamilies removes: even an empty
// session costs a lookup in every table.
const removeSessions = 200

// retention removes old sessions, and has the duties that one engine takes at a time.
type retention struct{ *db }

// OldestSessions reads a page by the index on created_at.
func (s retention) OldestSessions(ctx context.Context, after store.Cursor, limit int) ([]store.SessionRecord, error) {
	var found []store.SessionRecord
	at := int64(-1)
	if !after.At.IsZero() {
		at = after.At.UnixMicro()
	}
	err := s.reader.each(ctx, "sessions_oldest", func(row scanner) error {
		var rec store.SessionRecord
		err := scanSession(row, &rec)
		found = append(found, rec)
		return err
	}, at, after.ID, limit)
	if err != nil {
		return nil, fault("list the oldest sessions", err)
	}
	return found, nil
}

// Parents looks for one session below each of the ids, by the index on id.
func (s retention) Parents(ctx context.Context, ids []string) ([]string, error) {
	var above []string
	err := s.reader.each(ctx, "parents", func(row scanner) error {
		var id string
		err := row.Scan(&id)
		above = append(above, id)
		return err
	}, list(ids))
	if err != nil {
		return nil, fault("look for child sessions", err)
	}
	return above, nil
}

// RemoveFamilies removes families, at most removeSessions and deleteBatch rows a call.
func (s retention) RemoveFamilies(ctx context.Context, families [][]store.SessionMark) ([]store.Removal, error) {
	outcomes := make([]store.Removal, len(families))
	err := s.writer.write(ctx, "remove sessions", func(t *tx) error {
		return t.removeFamilies(families[:store.Reach(families, removeSessions)], outcomes)
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

func (t *tx) removeFamilies(families [][]store.SessionMark, outcomes []store.Removal) error {
	all := marksText(slices.Concat(families...))
	changed, err := t.ids("removal_changed", all, t.now)
	if err != nil {
		return err
	}
	inBatch, err := t.ids("removal_in_batch", all)
	if err != nil {
		return err
	}
	var going []store.SessionMark
	for i, marks := range families {
		outcomes[i] = store.OutcomeOf(marks, changed, inBatch)
		if outcomes[i] == store.Removed {
			going = append(going, marks...)
		}
	}
	whole, err := t.removeSome(going)
	if err != nil || whole {
		return err
	}
	for i := range outcomes[:len(families)] {
		if outcomes[i] == store.Removed {
			outcomes[i] = store.Partly
		}
	}
	return t.beginRemoval(going)
}

// removeSome removes the first removeSessions of the sessions, and reports whether that is all of
// them, with all their rows.
func (t *tx) removeSome(marks []store.SessionMark) (whole bool, err error) {
	there, err := t.ids("removal_there", marksText(marks))
	if err != nil || len(there) == 0 {
		return true, err
	}
	some := there[:min(len(there), removeSessions)]
	whole, err = t.removeParts(some, deleteBatch)
	return whole && len(some) == len(there), err
}

// TakeDuty takes, extends or gives back a duty.
func (s retention) TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	has := false
	err := s.writer.write(ctx, "take duty "+name, func(t *tx) error {
		err := t.row("duty_take", func(row scanner) error { return row.Scan(&name) }, name, owner, t.now, t.now+d.Microseconds())
		has = err == nil
		if noRow(err) {
			return nil
		}
		return err
	})
	return has && err == nil, err
}

package sqlite

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// sessionRows is the minimum number of rows that the removal of a session counts as: even an empty
// session costs a lookup in every table.
const sessionRows = 10

// retention removes old sessions, and has the duties that one engine takes at a time.
type retention struct{ *db }

// OldestSessions reads a page by the index on created_at.
func (s retention) OldestSessions(ctx context.Context, after engine.Cursor, limit int) ([]engine.SessionRecord, error) {
	var found []engine.SessionRecord
	at := int64(-1)
	if !after.At.IsZero() {
		at = after.At.UnixMicro()
	}
	err := s.reader.each(ctx, "sessions_oldest", func(row scanner) error {
		var rec engine.SessionRecord
		err := scanSession(row, &rec)
		found = append(found, rec)
		return err
	}, at, after.ID, limit)
	if err != nil {
		return nil, fault("list the oldest sessions", err)
	}
	return found, nil
}

// RemoveFamily removes marked sessions, at most deleteBatch rows a call.
func (s retention) RemoveFamily(ctx context.Context, marks []engine.SessionMark) (engine.Removal, error) {
	var outcome engine.Removal
	err := s.writer.write(ctx, "remove sessions", func(t *tx) (err error) {
		outcome, err = t.removeFamily(marks, deleteBatch)
		return err
	})
	if err != nil {
		return "", err
	}
	return outcome, nil
}

func (t *tx) removeFamily(marks []engine.SessionMark, room int64) (engine.Removal, error) {
	all := marksText(marks)
	for _, check := range []struct {
		statement string
		args      []any
		outcome   engine.Removal
	}{
		{"removal_changed", []any{all, t.now}, store.Changed},
		{"removal_in_batch", []any{all}, store.InBatch},
	} {
		var id string
		err := t.row(check.statement, func(row scanner) error { return row.Scan(&id) }, check.args...)
		if err == nil {
			return check.outcome, nil
		}
		if !noRow(err) {
			return "", err
		}
	}
	var there []string
	err := t.each("removal_there", func(row scanner) error {
		var id string
		err := row.Scan(&id)
		there = append(there, id)
		return err
	}, all)
	if err != nil {
		return "", err
	}
	if err := t.beginRemoval(marks); err != nil {
		return "", err
	}
	for _, id := range there {
		if room <= 0 {
			return store.Partly, nil
		}
		left, err := t.removeParts(id, room)
		if err != nil {
			return "", err
		}
		if left == 0 {
			return store.Partly, nil
		}
		room = left - sessionRows
	}
	return store.Removed, nil
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

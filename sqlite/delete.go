package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// deleteBatch is the maximum number of rows that one DeleteSession removes. Other writers wait for
// it, about 20 ms.
const deleteBatch = 5000

// deletes are the statements that remove what belongs to a session, some rows at a time.
var deletes = [...]string{"delete_lineage", "delete_execution", "delete_message", "delete_request", "delete_blob", "delete_result"}

// DeleteSession removes a session that is not leased, at most deleteBatch rows per call. The
// session's own row, by which a later call finds it, goes last. Its child sessions stay.
func (s sessions) DeleteSession(ctx context.Context, id string) (bool, error) {
	done := false
	err := s.writer.write(ctx, "delete", func(t *tx) (err error) {
		done, err = t.deleteSession(id, deleteBatch)
		return err
	})
	return done && err == nil, err
}

func (t *tx) deleteSession(id string, room int64) (bool, error) {
	rec, err := t.sessionBy("session_read", id)
	if err != nil {
		return false, err
	}
	if rec.Held(t.time()) {
		return false, fmt.Errorf("session %s: %w by %s", id, store.ErrSessionBusy, rec.LeaseOwner)
	}
	done, err := t.removeParts([]string{id}, room)
	if err != nil || done {
		return done, err
	}
	return false, t.beginRemoval([]store.SessionMark{rec.Mark()})
}

// beginRemoval marks the sessions, so that no worker claims them and no request is accepted.
func (t *tx) beginRemoval(marks []store.SessionMark) error {
	all := marksText(marks)
	if err := t.deleteAll("removal_begin", all); err != nil {
		return err
	}
	return t.deleteAll("removal_unschedule", all)
}

// removeParts removes sessions with their history until room rows are removed, and reports whether
// nothing of them is left.
func (t *tx) removeParts(ids []string, room int64) (bool, error) {
	all := list(ids)
	for _, name := range deletes {
		gone, err := t.exec(name, all, room)
		if err != nil {
			return false, err
		}
		if room -= gone; room <= 0 {
			return false, nil
		}
	}
	for _, name := range [...]string{"delete_start", "delete_child", "removal_end", "delete_session"} {
		if err := t.deleteAll(name, all); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (t *tx) deleteAll(name, of string) error {
	_, err := t.exec(name, of)
	return err
}

// ids runs a query for ids.
func (t *tx) ids(name string, args ...any) ([]string, error) {
	var found []string
	err := t.each(name, func(row scanner) error {
		var id string
		err := row.Scan(&id)
		found = append(found, id)
		return err
	}, args...)
	return found, err
}

// marksText is marks as the JSON list that statements read.
func marksText(marks []store.SessionMark) string {
	b, err := json.Marshal(marks)
	if err != nil { // texts and numbers always encode
		panic("sqlite: " + err.Error())
	}
	return string(b)
}

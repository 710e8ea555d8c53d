package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
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
		return false, fmt.Errorf("session %s: %w by %s", id, engine.ErrSessionBusy, rec.LeaseOwner)
	}
	if err := t.beginRemoval([]engine.SessionMark{rec.Mark()}); err != nil {
		return false, err
	}
	left, err := t.removeParts(id, room)
	return left > 0, err
}

// beginRemoval marks the sessions, so that no worker claims them and no request is accepted.
func (t *tx) beginRemoval(marks []engine.SessionMark) error {
	all := marksText(marks)
	if _, err := t.exec("removal_begin", all); err != nil {
		return err
	}
	_, err := t.exec("removal_unschedule", all)
	return err
}

// removeParts removes a session with its history until room rows are removed, and returns the
// remaining room: 0 means that rows of the session may be left.
func (t *tx) removeParts(id string, room int64) (int64, error) {
	for _, name := range deletes {
		gone, err := t.exec(name, id, room)
		if err != nil {
			return 0, err
		}
		if room -= gone; room <= 0 {
			return 0, nil
		}
	}
	for _, name := range [...]string{"delete_start", "delete_child", "removal_end", "delete_session"} {
		if err := t.deleteAll(name, id); err != nil {
			return 0, err
		}
	}
	return room, nil
}

func (t *tx) deleteAll(name, id string) error {
	_, err := t.exec(name, id)
	return err
}

// marksText is marks as the JSON list that statements read.
func marksText(marks []engine.SessionMark) string {
	b, err := json.Marshal(marks)
	if err != nil { // texts and numbers always encode
		panic("sqlite: " + err.Error())
	}
	return string(b)
}

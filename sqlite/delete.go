package sqlite

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// deleteBatch is how many rows one DeleteSession removes at most: other writers wait for
// it, some 20 ms.
const deleteBatch = 5000

// deletes are the statements that remove what belongs to a session, some rows at a time.
var deletes = [...]string{"delete_lineage", "delete_execution", "delete_message", "delete_request", "delete_blob", "delete_result"}

// DeleteSession removes a session that nobody holds, deleteBatch rows at each call; its own
// row, which lets a later call find it, goes last. The children of the session stay.
func (s *Store) DeleteSession(ctx context.Context, id string) (bool, error) {
	done := false
	err := s.writer.write(ctx, "delete", func(t *tx) (err error) {
		done, err = t.deleteSession(id, deleteBatch)
		return err
	})
	return done && err == nil, err
}

func (t *tx) deleteSession(id string, room int64) (bool, error) {
	rec, err := t.session(id)
	if err != nil {
		return false, err
	}
	if rec.Held(t.time()) {
		return false, fmt.Errorf("session %s: %w by %s", id, engine.ErrSessionBusy, rec.LeaseOwner)
	}
	if _, err := t.exec("session_unschedule", id); err != nil {
		return false, err
	}
	for _, name := range deletes {
		gone, err := t.exec(name, id, room)
		if err != nil {
			return false, err
		}
		if room -= gone; room <= 0 {
			return false, nil
		}
	}
	for _, name := range [...]string{"delete_start", "delete_child", "delete_session"} {
		if err := t.deleteAll(name, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (t *tx) deleteAll(name, id string) error {
	_, err := t.exec(name, id)
	return err
}

package sqlite

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// sessions are created, read, listed, counted and deleted.
type sessions struct{ *db }

// Session returns one session, or engine.ErrSessionNotFound.
func (s sessions) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	var rec store.SessionRecord
	err := s.reader.row(ctx, "session_read", func(row scanner) error { return scanSession(row, &rec) }, id)
	if noRow(err) {
		return nil, fmt.Errorf("session %s: %w", id, store.ErrSessionNotFound)
	}
	if err != nil {
		return nil, fault("read session "+id, err)
	}
	return &rec, nil
}

// SessionsByID returns those of the ids that exist, in no order.
func (s sessions) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	found := make([]store.SessionRecord, 0, len(ids))
	err := s.reader.each(ctx, "session_read_many", func(row scanner) error {
		var rec store.SessionRecord
		err := scanSession(row, &rec)
		found = append(found, rec)
		return err
	}, list(ids))
	if err != nil {
		return nil, fault("read sessions", err)
	}
	return found, nil
}

// Children returns the ids of a session's children, in id order.
func (s sessions) Children(ctx context.Context, parent string) ([]string, error) {
	var ids []string
	err := s.reader.each(ctx, "children", func(row scanner) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	}, parent)
	if err != nil {
		return nil, fault("read children of "+parent, err)
	}
	return ids, nil
}

// session reads a session under the write lock. It returns engine.ErrSessionNotFound when the
// session does not exist or is being removed.
func (t *tx) session(id string) (store.SessionRecord, error) { return t.sessionBy("session_open", id) }

func (t *tx) sessionBy(statement, id string) (store.SessionRecord, error) {
	var rec store.SessionRecord
	err := t.row(statement, func(row scanner) error { return scanSession(row, &rec) }, id)
	if noRow(err) {
		err = fmt.Errorf("session %s: %w", id, store.ErrSessionNotFound)
	}
	return rec, err
}

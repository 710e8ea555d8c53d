package sqlite

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Requests returns for each session the requests numbered above After, in order.
func (s inbox) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	found := make(map[string][]store.Request)
	if len(after) == 0 {
		return found, nil
	}
	wanted := make([][2]any, len(after))
	for i, a := range after {
		wanted[i] = [2]any{a.Session, a.N}
	}
	pairs, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	err = s.reader.each(ctx, "request_after", func(row scanner) error {
		var r store.Request
		err := scanRequest(row, &r)
		found[r.Session] = append(found[r.Session], r)
		return err
	}, string(pairs))
	if err != nil {
		return nil, fault("read requests", err)
	}
	return found, nil
}

// Inboxes returns inbox number and lease token of the sessions that exist.
func (s inbox) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	found := make(map[string]store.InboxState, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	err := s.reader.each(ctx, "inboxes", func(row scanner) error {
		var id string
		var state store.InboxState
		err := row.Scan(&id, &state.Inbox, &state.Lease)
		found[id] = state
		return err
	}, list(ids))
	if err != nil {
		return nil, fault("read inboxes", err)
	}
	return found, nil
}

// EditState replaces the state of a session without a lease.
func (s inbox) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	var rec store.SessionRecord
	err := s.writer.write(ctx, "edit state", func(t *tx) (err error) {
		rec, err = deliveryTx{t}.editState(&edit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &rec, nil
}

func (t deliveryTx) editState(edit *store.StateEdit) (store.SessionRecord, error) {
	rec, err := t.session(edit.Session)
	if err != nil {
		return rec, err
	}
	if err := edit.Refuse(&rec, t.time()); err != nil {
		return rec, err
	}
	r := edit.Request
	r.Session, r.ID, r.N, r.At, r.Applied = rec.ID, rec.ID+"/"+r.Key, rec.Inbox+1, t.time(), true
	if err := t.insert(&r); err != nil {
		return rec, err
	}
	_, err = t.exec("state_edit", rec.ID, text(edit.State), text(edit.Counters), edit.Status, text(edit.Awaiting), micros(edit.Since), r.N, t.now)
	if err != nil {
		return rec, err
	}
	return t.session(rec.ID)
}

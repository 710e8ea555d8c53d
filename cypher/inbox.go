package cypher

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// inbox holds the requests of sessions: answers and other events from outside.
type inbox struct{ *db }

// Requests returns for each session the requests above a number, in order.
func (s inbox) Requests(ctx context.Context, after []store.InboxAfter) (map[string][]store.Request, error) {
	found := map[string][]store.Request{}
	if len(after) == 0 {
		return found, nil
	}
	values := make([]any, len(after))
	for i, a := range after {
		values[i] = params{"session": a.Session, "n": a.N}
	}
	c := chain{db: s.db}
	for n := 0; ; n++ {
		rows, err := c.read(ctx, queryRequestsAfter, params{"rows": values})
		if err != nil {
			return nil, err
		}
		clear(found)
		for _, r := range rows {
			q := requestFrom(r.properties("request"))
			found[q.Session] = append(found[q.Session], q)
		}
		if gapless(after, found) || n == chainedReads {
			return found, nil
		}
	}
}

// gapless reports whether the requests are numbered in a row. A read beside the commit of several
// requests can see a later one before an earlier one: the holder would apply the later one and
// never ask for the earlier one again. A gap that stays was made by hand.
func gapless(after []store.InboxAfter, found map[string][]store.Request) bool {
	for _, a := range after {
		for i, q := range found[a.Session] {
			if q.N != a.N+int64(i)+1 {
				return false
			}
		}
	}
	return true
}

// Inboxes returns inbox number and lease token of the sessions that exist.
func (s inbox) Inboxes(ctx context.Context, ids []string) (map[string]store.InboxState, error) {
	found := make(map[string]store.InboxState, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := s.read(ctx, queryInboxes, params{"ids": ids})
	for _, r := range rows {
		found[r.text("id")] = store.InboxState{Inbox: r.number("inbox"), Lease: r.text("lease")}
	}
	return found, err
}

// EditState replaces the state of a session that is not leased. If the answer is lost, the edit is
// not sent again: the error is engine.ErrUnknownOutcome, and the session's version shows the result.
func (s inbox) EditState(ctx context.Context, edit store.StateEdit) (*store.SessionRecord, error) {
	var record store.SessionRecord
	err := s.together(ctx, "edit state of "+edit.Session, false, func(t transaction) error {
		rows, err := t.query(ctx, queryLock, params{"ids": []string{edit.Session}})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("%w: %s", store.ErrSessionNotFound, edit.Session)
		}
		record = sessionFrom(rows[0].properties("session"))
		now := rows[0].time("now")
		if err := edit.Refuse(&record, now); err != nil {
			return err
		}
		changes := missingProperties(&record, now)
		request := apply(&record, &edit, changes)
		record.DueAt, record.UpdatedAt, request.At = now, now, now
		changes["due_at"], changes["updated_at"] = stamp(now), stamp(now)
		_, err = t.query(ctx, queryDeliverWrite, params{"rows": []any{
			params{"session": edit.Session, "properties": changes, "requests": []any{requestProperties(&request)}}}})
		return err
	})
	if isConstraint(err) {
		return nil, fmt.Errorf("%w: %s: %w", store.ErrKeyReused, edit.Request.Key, err)
	}
	if err != nil {
		return nil, err
	}
	return &record, nil
}

// apply changes the record as the edit says, adds the properties to set to changes, and
// returns the request that keeps who did it.
func apply(record *store.SessionRecord, edit *store.StateEdit, changes params) store.Request {
	record.Version++
	record.Inbox++
	record.State, record.Status = edit.State, edit.Status
	record.Awaiting, record.AwaitingSince = edit.Awaiting, edit.Since
	record.Lease, record.LeaseOwner, record.Claims = "", "", 0
	record.LeaseUntil = time.Time{}
	maps.Copy(changes, params{
		"version": record.Version, "inbox": record.Inbox, "state": string(edit.State), "status": optional(edit.Status),
		"lease": nil, "lease_owner": nil, "lease_until": nil, "claims": 0, "pending": nil,
	})
	questionProperties(changes, edit.Awaiting, edit.Since)
	if edit.Counters != nil {
		record.Counters = edit.Counters
		changes["counters"] = string(edit.Counters)
	}
	changes["seal"] = checksum(false, record.Version, record.Status, record.State, record.Counters, record.Awaiting)
	if edit.Status == store.StatusPending {
		changes["pending"] = record.Workflow
	}
	request := edit.Request
	request.ID, request.Session, request.N, request.Applied = requestID(edit.Session, request.Key), edit.Session, record.Inbox, true
	return request
}

package sqlite

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

// candidateFactor is how many due sessions are read for each one wanted. Engines that share a file
// shuffle them, so that they rarely choose the same session.
const candidateFactor = 4

// Claim leases due sessions. Nothing due costs one read and no write lock.
func (s leases) Claim(ctx context.Context, o store.ClaimOptions) ([]store.Claimed, error) {
	if o.Limit <= 0 {
		return nil, nil
	}
	if o.Among != nil {
		return s.claim(ctx, "claim_due", slices.Sorted(slices.Values(o.Among)), o)
	}
	ids, err := s.candidates(ctx, o.Limit*candidateFactor, o.Skip, o.Except)
	if err != nil {
		return nil, err
	}
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	slices.Sort(ids[:min(len(ids), o.Limit)]) // the remaining ids replace those that were claimed meanwhile
	return s.claim(ctx, "claim_due", ids, o)
}

// candidates returns the ids of due sessions, those that have been due the longest first.
func (s leases) candidates(ctx context.Context, limit int, skip, except []string) ([]string, error) {
	var ids []string
	err := s.reader.each(ctx, "due_candidates", func(row scanner) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	}, s.clock().UnixMicro(), limit, list(skip), list(except))
	if err != nil {
		return nil, fault("due sessions", err)
	}
	return ids, nil
}

// LongestDue returns the ids of sessions that have been due the longest.
func (s leases) LongestDue(ctx context.Context, limit int) ([]string, error) {
	return s.candidates(ctx, limit, nil, nil)
}

// ClaimByID leases the sessions of the ids that are not leased, due or not.
func (s leases) ClaimByID(ctx context.Context, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	if o.Limit <= 0 {
		o.Limit = len(ids)
	}
	return s.claim(ctx, "claim", slices.Compact(ids), o)
}

// claim runs one of the two claiming statements over ids until the limit is reached.
func (s leases) claim(ctx context.Context, statement string, ids []string, o store.ClaimOptions) ([]store.Claimed, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var claimed []store.Claimed
	err := s.writer.write(ctx, "claim", func(t *tx) error {
		claimed = nil
		until := t.now + o.For.Microseconds()
		for _, id := range ids {
			if len(claimed) == o.Limit {
				break
			}
			c := store.Claimed{Now: t.time()}
			err := t.row(statement, func(row scanner) error { return scanSession(row, &c.Session) }, id, o.Token(), o.Owner, t.now, until)
			if noRow(err) {
				continue
			}
			if err != nil {
				return err
			}
			if c.Requests, err = t.unapplied(id); err != nil {
				return err
			}
			claimed = append(claimed, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// unapplied returns the requests in a session's inbox that are not applied yet, in order.
func (t *tx) unapplied(session string) ([]store.Request, error) {
	var waiting []store.Request
	err := t.each("request_unapplied", func(row scanner) error {
		var r store.Request
		err := scanRequest(row, &r)
		waiting = append(waiting, r)
		return err
	}, session)
	return waiting, err
}

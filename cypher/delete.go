package cypher

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// deleteBatch is how many nodes one call removes at most: a transaction keeps what it
// removes in the server's memory until it commits.
const deleteBatch = 2000

// DeleteSession removes a session without a lease, a batch at a time. From its first batch
// on the session cannot be claimed and takes no requests; it goes last, so that what was
// cut off in the middle can be deleted again.
func (s sessions) DeleteSession(ctx context.Context, id string) (bool, error) {
	done := false
	// Repeating is right also where the outcome is unknown, except that the session may
	// then be gone already; that is what was wanted.
	tried := false
	err := s.together(ctx, "delete session "+id, true, func(t transaction) error {
		rows, err := t.query(ctx, queryDeleteBegin, params{"id": id})
		if err != nil {
			return err
		}
		if len(rows) == 0 && tried {
			done = true
			return nil
		}
		if len(rows) == 0 {
			return fmt.Errorf("%w: %s", store.ErrSessionNotFound, id)
		}
		if rows[0].yes("held") {
			return fmt.Errorf("%w: %s", store.ErrSessionBusy, id)
		}
		done, err = deleteContents(ctx, t, []string{id})
		tried = tried || done
		return err
	})
	return done && err == nil, err
}

// deleteContents removes up to deleteBatch nodes of sessions, then the sessions themselves, and reports
// whether nothing of them is left.
func deleteContents(ctx context.Context, t transaction, ids []string) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	left := int64(deleteBatch)
	for _, q := range []statement{queryDeleteExecutions, queryDeleteMessages, queryDeleteRequests, queryDeleteBlobs, queryDeleteResults} {
		rows, err := t.query(ctx, q, params{"ids": ids, "limit": left})
		if err != nil {
			return false, err
		}
		if left -= rows[0].number("deleted"); left <= 0 {
			return false, nil
		}
	}
	_, err := t.query(ctx, queryDeleteSessions, params{"ids": ids})
	return err == nil, err
}

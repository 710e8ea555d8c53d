package sqlite

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Create creates sessions in one transaction, each on its own.
func (s sessions) Create(ctx context.Context, sessions []store.NewSession) ([]store.Created, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	created := make([]store.Created, len(sessions))
	err := s.writer.write(ctx, "create sessions", func(t *tx) error {
		for i := range sessions {
			created[i] = store.Created{}
			if err := t.create(&sessions[i], &created[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// create creates one session. Errors of this session go into c; a returned error fails the transaction.
func (t *tx) create(n *store.NewSession, c *store.Created) error {
	if n.Key != "" {
		found, err := t.startedBefore(n, c)
		if found || err != nil {
			return err
		}
	}
	fresh, err := t.createRow(n, &c.Session)
	if err != nil {
		return err
	}
	if !fresh {
		return t.taken(n, c)
	}
	if n.Key != "" {
		if _, err := t.exec("start_create", n.Key, n.ID, n.BodyHash, t.now); err != nil {
			return err
		}
	}
	return nil
}

// taken fills c for a session whose id there is.
func (t *tx) taken(n *store.NewSession, c *store.Created) error {
	err := t.row("session_read", func(row scanner) error { return scanSession(row, &c.Session) }, n.ID)
	if err != nil {
		return err
	}
	if n.Made(&c.Session) {
		c.Exists = true
		return nil
	}
	*c = store.Created{Err: fmt.Errorf("session %s: %w", n.ID, store.ErrSessionExists)}
	return nil
}

// startedBefore looks for the session that an earlier start with the key of n created, puts it into c
// and reports whether there is one.
func (t *tx) startedBefore(n *store.NewSession, c *store.Created) (bool, error) {
	var first, hash string
	err := t.row("start_read", func(row scanner) error { return row.Scan(&first, &hash) }, n.Key)
	if noRow(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if hash != n.BodyHash {
		c.Err = fmt.Errorf("start key %q, of session %s: %w", n.Key, first, store.ErrKeyReused)
		return true, nil
	}
	c.Exists = true
	return true, t.row("session_read", func(row scanner) error { return scanSession(row, &c.Session) }, first)
}

// createRow writes the row of a new session, and CHILD_OF, and fills rec with what the row
// holds. False when the id is taken.
func (t *tx) createRow(n *store.NewSession, rec *store.SessionRecord) (bool, error) {
	now := t.time()
	*rec = store.SessionRecord{ID: n.ID, Workflow: n.Workflow, State: n.State, Counters: n.Counters, Status: n.Status,
		CreatedAt: now, UpdatedAt: now, Root: n.Root, Labels: n.Labels, DueAt: now}
	if rec.Root == "" {
		rec.Root = n.ID
	}
	if n.Claim != nil {
		rec.Lease, rec.LeaseOwner, rec.LeaseUntil, rec.Claims = n.Claim.Token, n.Claim.Owner, now.Add(n.Claim.For), 1
		rec.DueAt = rec.LeaseUntil
	}
	changed, err := t.exec("session_create", rec.ID, rec.Workflow, rec.Status, t.now, rec.Root, labels(rec.Labels), text(rec.Counters), text(rec.State),
		rec.Lease, rec.LeaseOwner, micros(rec.LeaseUntil), micros(rec.DueAt), rec.Claims, orNull(n.ConcurrencyKey))
	if err != nil || changed == 0 {
		return false, err
	}
	if n.Parent != "" {
		_, err = t.exec("child_create", n.Parent, n.ID)
	}
	return true, err
}

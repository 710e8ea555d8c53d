package sqlite

import (
	"context"
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/engine/store"
)

// commits writes checkpoints.
type commits struct{ *db }

// Commit applies checkpoints in one transaction. An error in a row whose guard held (an execution
// that exists, a full disk) rolls back the whole call. The caller then sends such a batch row by
// row, so that only the faulty session gets the error. A savepoint for each row would do the same
// here, but costs two more statements for every row without an error.
func (s commits) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	if len(checkpoints) == 0 {
		return nil, nil
	}
	rows, err := rowsBySession(checkpoints)
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	results := make([]store.CommitResult, len(checkpoints))
	err = s.writer.write(ctx, "commit", func(t *tx) error {
		now, row := t.time(), checkpointTx{t}
		for i := range checkpoints {
			c := &checkpoints[i]
			results[i] = store.CommitResult{Now: now}
			if err := row.checkpoint(c, &results[i]); err != nil {
				return fmt.Errorf("session %s: %w", c.Session, err)
			}
			if results[i].Outcome != store.Committed || c.ToParent == nil {
				continue
			}
			n, err := row.toParent(c.ToParent)
			if err != nil {
				return fmt.Errorf("session %s: parent %s: %w", c.Session, c.ToParent.Session, err)
			}
			if j, ok := rows[c.ToParent.Session]; ok && n > 0 && j < i && results[j].Outcome != store.Lost {
				results[j].Inbox = n // the parent's own row came first and returned a lower number
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// rowsBySession returns the row of each session; two rows for one session are an error of the caller.
func rowsBySession(checkpoints []store.Checkpoint) (map[string]int, error) {
	if len(checkpoints) == 1 {
		return nil, nil
	}
	rows := make(map[string]int, len(checkpoints))
	for i := range checkpoints {
		id := checkpoints[i].Session
		if _, twice := rows[id]; twice {
			return nil, fmt.Errorf("two checkpoints of session %s: %w", id, store.ErrBadRequest)
		}
		rows[id] = i
	}
	return rows, nil
}

// checkpoint writes one row with all records that come with it, if its guard holds.
func (t checkpointTx) checkpoint(c *store.Checkpoint, r *store.CommitResult) error {
	guard := t.guard
	if c.Received != nil {
		guard = t.received
	}
	passed, err := guard(c, r)
	if err != nil {
		return err
	}
	if !passed {
		return t.look(c, r)
	}
	r.Outcome = store.Committed
	return t.record(c)
}

// unreadArg is the place of the highest inbox number that lets a checkpoint pass, in all its statements but
// checkpoint_same.
const unreadArg = 10

// guard updates the session if it still has version and lease, and, when the checkpoint
// is closing, nothing unread in its inbox.
func (t checkpointTx) guard(c *store.Checkpoint, r *store.CommitResult) (bool, error) {
	if c.Lease == "" {
		return false, nil
	}
	if !c.Release && c.LeaseFor == 0 {
		n, err := t.exec("checkpoint_same", c.Transition, text(c.State), text(c.Counters), orNull(c.Tried), t.now,
			c.Session, c.Version, c.Lease, c.Seen, c.Status, text(c.Awaiting), micros(c.AwaitingSince))
		if r.Inbox = c.Seen; err != nil || n > 0 {
			return n > 0, err
		}
	}
	args := []any{c.Session, c.Version, c.Lease, c.Transition, text(c.State), text(c.Counters), c.Status, text(c.Awaiting),
		micros(c.AwaitingSince), t.now, c.Seen}
	statement := "checkpoint_keep"
	switch {
	case c.Release:
		statement, args = "checkpoint_release", append(args, micros(c.DueAt), c.Seen)
	case c.LeaseFor != 0:
		statement, args = "checkpoint_extend", append(args, t.now+c.LeaseFor.Microseconds())
	}
	args = append(args, orNull(c.Tried))
	// Nearly always nothing is unread. Then the inbox is known, and no row has to be read.
	n, err := t.exec(statement, args...)
	if r.Inbox = c.Seen; err != nil || n > 0 || c.Closing {
		return n > 0, err
	}
	args[unreadArg] = int64(math.MaxInt64)
	err = t.row(statement, func(row scanner) error { return row.Scan(&r.Inbox) }, args...)
	if noRow(err) {
		return false, nil
	}
	return err == nil, err
}

// received is guard of a checkpoint that brings its request along; it writes the request, too.
func (t checkpointTx) received(c *store.Checkpoint, r *store.CommitResult) (bool, error) {
	q := c.Received.As(c, t.time())
	lease, owner, until, due := c.Lease, c.Received.Owner, micros(t.time().Add(c.LeaseFor)), micros(c.DueAt)
	if c.Release {
		lease, owner, until = "", "", nil
	} else {
		due = until
	}
	r.Inbox = c.Seen
	n, err := t.exec("checkpoint_received", c.Session, c.Version, c.Transition, text(c.State), text(c.Counters), c.Status, text(c.Awaiting),
		micros(c.AwaitingSince), t.now, c.Seen, lease, owner, until, due, orNull(c.Tried), q.Key, orNull(q.Target))
	if err != nil || n == 0 {
		return false, err
	}
	return true, deliveryTx(t).insert(&q)
}

// look sets the outcome of a checkpoint whose guard did not hold.
func (t checkpointTx) look(c *store.Checkpoint, r *store.CommitResult) error {
	var version int64
	var lease, transition string
	err := t.row("checkpoint_look", func(row scanner) error { return row.Scan(&version, &lease, &transition, &r.Inbox) }, c.Session)
	switch {
	case noRow(err):
		r.Outcome = store.Lost
		return nil
	case err != nil:
		return err
	case c.Transition != "" && transition == c.Transition:
		r.Outcome = store.Again
	case c.Lease != "" && lease == c.Lease && version == c.Version:
		r.Outcome = store.Refused
	default:
		r.Outcome = store.Lost
	}
	return nil
}

// toParent puts the end of a child into its parent's inbox and returns the request's number, 0 when
// the parent was deleted or already has the request.
func (t checkpointTx) toParent(r *store.Request) (int64, error) {
	var n int64
	err := t.row("request_to_parent", func(row scanner) error { return row.Scan(&n) },
		r.Session, r.Key, orNull(r.Target), r.Kind, r.Step, r.Visit, r.Ask, text(r.Body), r.BodyHash, r.By, t.now)
	if noRow(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	_, err = t.exec("inbox_wake", r.Session, n, t.now)
	return n, err
}

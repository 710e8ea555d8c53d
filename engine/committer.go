package engine

import (
	"context"
	"errors"
	"fmt"
)

// A committer groups the checkpoints of sessions that are ready together into one
// transaction each. A session has one checkpoint under way at most, so a group never
// holds two rows of one session. Single reads of sessions that end together are grouped
// the same way: on Neo4j a read of one costs as much as a read of many.
type committer struct {
	reads       batcher[string, *SessionRecord]
	checkpoints batcher[*Checkpoint, CommitResult]
	deliveries  batcher[Delivery, Delivered]
	creations   batcher[NewSession, Created]
}

func newCommitter(store Store, o Options) *committer {
	c := &committer{}
	c.reads = batcher[string, *SessionRecord]{
		writers: o.Writers,
		do: func(ctx context.Context, ids []string) ([]*SessionRecord, error) {
			return sessionsInOrder(ctx, store, ids)
		},
	}
	c.checkpoints = batcher[*Checkpoint, CommitResult]{
		writers: o.Writers,
		size:    func(cp **Checkpoint) int { return (*cp).Size() },
		do: func(ctx context.Context, rows []*Checkpoint) ([]CommitResult, error) {
			batch := make([]Checkpoint, len(rows))
			for i, r := range rows {
				batch[i] = *r
			}
			return store.Commit(ctx, batch)
		},
	}
	c.deliveries = batcher[Delivery, Delivered]{
		writers:  o.Writers,
		do:       store.Deliver,
		distinct: func(d *Delivery) string { return d.Session },
		refusing: isFull,
	}
	c.creations = batcher[NewSession, Created]{
		writers:  o.Writers,
		do:       store.Create,
		size:     func(n *NewSession) int { return len(n.State) + 512 },
		distinct: func(n *NewSession) string { return n.ID },
		refusing: isFull,
	}
	return c
}

// isFull reports errors of a full store. Whoever asks for something new is told at once;
// checkpoints of what is under way wait until there is room.
func isFull(err error) bool { return errors.Is(err, ErrDiskFull) }

func (c *committer) commit(ctx context.Context, cp *Checkpoint) (CommitResult, error) {
	return c.checkpoints.submit(ctx, cp)
}

func (c *committer) deliver(ctx context.Context, d Delivery) (Delivered, error) {
	out, err := c.deliveries.submit(ctx, d)
	if err != nil {
		return out, err
	}
	return out, out.Err
}

func (c *committer) create(ctx context.Context, n NewSession) (Created, error) {
	out, err := c.creations.submit(ctx, n)
	if err != nil {
		return out, err
	}
	return out, out.Err
}

// session reads one session, together with the others that are asked for meanwhile.
func (c *committer) session(ctx context.Context, id string) (*SessionRecord, error) {
	rec, err := c.reads.submit(ctx, id)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case rec == nil:
		return nil, fmt.Errorf("session %s: %w", id, ErrSessionNotFound)
	}
	return rec, nil
}

// sessionsInOrder reads sessions in the order of ids, each a record of its own; nil for those
// that do not exist.
func sessionsInOrder(ctx context.Context, store Store, ids []string) ([]*SessionRecord, error) {
	list, err := store.SessionsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].ID] = i
	}
	out := make([]*SessionRecord, len(ids))
	for i, id := range ids {
		if n, found := at[id]; found {
			rec := list[n]
			out[i] = &rec
		}
	}
	return out, nil
}

package engine

import "context"

// A committer groups the checkpoints of sessions that are ready together into one
// transaction each. A session has one checkpoint under way at most, so a group never
// holds two rows of one session.
type committer struct {
	checkpoints batcher[*Checkpoint, CommitResult]
	deliveries  batcher[Delivery, Delivered]
	creations   batcher[NewSession, Created]
}

func newCommitter(store Store, o Options) *committer {
	c := &committer{}
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
	}
	c.creations = batcher[NewSession, Created]{
		writers:  o.Writers,
		do:       store.Create,
		size:     func(n *NewSession) int { return len(n.State) + 512 },
		distinct: func(n *NewSession) string { return n.ID },
	}
	return c
}

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

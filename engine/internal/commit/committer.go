// Package commit writes the checkpoints, requests and new sessions of many callers in groups,
// because a transaction costs a database about as much for two hundred rows as for one. A single
// caller does not wait for others.
package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Committer groups the checkpoints of sessions that are ready together into one
// transaction each. A session has one checkpoint under way at most, so a group never
// holds two rows of one session. Single reads of sessions that end together are grouped
// the same way: on Neo4j a read of one costs as much as a read of many. A store of several
// databases has groups for each of them, so that one that is slow or gone holds up no row of another.
//
// An engine has one Committer for its whole life; runners, starts and requests share it. It keeps no
// row after the caller has its outcome. A row that the store refuses fails alone: the other rows
// of its group are written.
type Committer struct {
	store   store.Store
	writers int
	divided store.Divided // nil for a store that is one database

	mu    sync.Mutex
	lines map[string]*lines // by database
}

// lines are the groups of one database.
type lines struct {
	reads       batcher[string, *store.SessionRecord]
	checkpoints batcher[*store.Checkpoint, store.CommitResult]
	arrivals    batcher[*store.Checkpoint, store.CommitResult] // that bring their request along
	deliveries  batcher[store.Delivery, store.Delivered]
	creations   batcher[store.NewSession, store.Created]
}

// New returns a committer to a store with that many transactions under way at once.
func New(s store.Store, writers int) *Committer {
	c := &Committer{store: s, writers: writers, lines: map[string]*lines{}}
	c.divided, _ = s.(store.Divided)
	return c
}

// of returns the lines of a database.
func (c *Committer) of(database string) *lines {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[database]
	if l == nil {
		l = newLines(c.store, c.writers)
		c.lines[database] = l
	}
	return l
}

// ofSession returns the lines of the database that a session is in.
func (c *Committer) ofSession(ctx context.Context, id string) (*lines, error) {
	if c.divided == nil {
		return c.of(""), nil
	}
	database, err := c.divided.DatabaseOfSession(ctx, id)
	if err != nil {
		return nil, err
	}
	return c.of(database), nil
}

// ofNew returns the lines of the database that a new session comes into.
func (c *Committer) ofNew(ctx context.Context, n *store.NewSession) (*lines, error) {
	if c.divided == nil {
		return c.of(""), nil
	}
	database, err := c.divided.DatabaseOfNew(ctx, n)
	if err != nil {
		return nil, err
	}
	return c.of(database), nil
}

func newLines(s store.Store, writers int) *lines {
	c := &lines{}
	commit := func(ctx context.Context, rows []*store.Checkpoint) ([]store.CommitResult, error) {
		batch := make([]store.Checkpoint, len(rows))
		for i, r := range rows {
			batch[i] = *r
		}
		return s.Commit(ctx, batch)
	}
	c.reads = batcher[string, *store.SessionRecord]{
		writers: writers,
		do: func(ctx context.Context, ids []string) ([]*store.SessionRecord, error) {
			return sessionsInOrder(ctx, s, ids)
		},
	}
	c.checkpoints = batcher[*store.Checkpoint, store.CommitResult]{
		writers: writers,
		size:    func(cp **store.Checkpoint) int { return (*cp).Size() },
		do:      commit,
	}
	c.arrivals = batcher[*store.Checkpoint, store.CommitResult]{
		writers:  writers,
		size:     func(cp **store.Checkpoint) int { return (*cp).Size() },
		do:       commit,
		distinct: func(cp **store.Checkpoint) string { return (*cp).Session },
		refusing: refusesAll,
	}
	c.deliveries = batcher[store.Delivery, store.Delivered]{
		writers:  writers,
		do:       s.Deliver,
		distinct: func(d *store.Delivery) string { return d.Session },
		refusing: refusesAll,
	}
	c.creations = batcher[store.NewSession, store.Created]{
		writers:  writers,
		do:       s.Create,
		size:     func(n *store.NewSession) int { return len(n.State) + 512 },
		distinct: func(n *store.NewSession) string { return n.ID },
		refusing: refusesAll,
	}
	return c
}

// refusesAll reports errors of a store that takes nothing for now: it is full or read-only, or its schema is of
// another version. A caller that asks for something new gets the error at once; checkpoints of what is under
// way wait until it is mended.
func refusesAll(err error) bool {
	return errors.Is(err, store.ErrDiskFull) || errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrSchema)
}

// Commit writes one checkpoint and returns what became of it.
func (c *Committer) Commit(ctx context.Context, cp *store.Checkpoint) (store.CommitResult, error) {
	// A checkpoint has to be written, so the search for its database is repeated as the write is.
	l, err := retry.Do(ctx, func() (*lines, error) { return c.ofSession(ctx, cp.Session) })
	if err != nil {
		return store.CommitResult{}, err
	}
	return l.checkpoints.submit(ctx, cp)
}

// Receive writes a checkpoint that brings its request along. Like CreateThen it calls settled once.
func (c *Committer) Receive(ctx context.Context, cp *store.Checkpoint, settled func(store.CommitResult, error)) (store.CommitResult, error) {
	l, err := c.ofSession(ctx, cp.Session)
	if err != nil {
		settled(store.CommitResult{}, err)
		return store.CommitResult{}, err
	}
	return l.arrivals.submitThen(ctx, cp, settled)
}

// Deliver puts a request into an inbox.
func (c *Committer) Deliver(ctx context.Context, d store.Delivery) (store.Delivered, error) {
	l, err := c.ofSession(ctx, d.Session)
	if err != nil {
		return store.Delivered{}, err
	}
	out, err := l.deliveries.submit(ctx, d)
	if err != nil {
		return out, err
	}
	return out, out.Err
}

// Create makes a session.
func (c *Committer) Create(ctx context.Context, n store.NewSession) (store.Created, error) {
	return c.CreateThen(ctx, n, func(store.Created, error) {})
}

// CreateThen is Create; it calls settled once, with what became of the session: before it returns, or,
// when ctx ends first, as soon as that is known.
func (c *Committer) CreateThen(ctx context.Context, n store.NewSession, settled func(store.Created, error)) (store.Created, error) {
	l, err := c.ofNew(ctx, &n)
	if err != nil {
		settled(store.Created{}, err)
		return store.Created{}, err
	}
	out, err := l.creations.submitThen(ctx, n, func(out store.Created, err error) {
		settled(out, cmp.Or(err, out.Err))
	})
	return out, cmp.Or(err, out.Err)
}

// Session reads one session, together with the others that are asked for meanwhile.
func (c *Committer) Session(ctx context.Context, id string) (*store.SessionRecord, error) {
	l, err := c.ofSession(ctx, id)
	if err != nil {
		return nil, err
	}
	rec, err := l.reads.submit(ctx, id)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case rec == nil:
		return nil, fmt.Errorf("session %s: %w", id, store.ErrSessionNotFound)
	}
	return rec, nil
}

// sessionsInOrder reads sessions in the order of ids, each a record of its own; nil for those
// that do not exist.
func sessionsInOrder(ctx context.Context, s store.Store, ids []string) ([]*store.SessionRecord, error) {
	list, err := s.SessionsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(list))
	for i := range list {
		at[list[i].ID] = i
	}
	out := make([]*store.SessionRecord, len(ids))
	for i, id := range ids {
		if n, found := at[id]; found {
			rec := list[n]
			out[i] = &rec
		}
	}
	return out, nil
}

package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// commits writes checkpoints.
type commits struct{ *data }

// Commit checks all rows before it writes the first one, so that a call with an invalid row
// writes nothing.
func (s commits) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	once := make(map[string]bool, len(checkpoints))
	for i := range checkpoints {
		c := &checkpoints[i]
		if once[c.Session] {
			return nil, fmt.Errorf("commit: %w: two checkpoints of session %s in one call", store.ErrBadRequest, c.Session)
		}
		once[c.Session] = true
		if x := s.sessions[c.Session]; x.guard(c) == store.Committed {
			if err := x.fault(c); err != nil {
				return nil, fmt.Errorf("commit: session %s: %w", c.Session, err)
			}
		}
	}
	now := s.now()
	results := make([]store.CommitResult, len(checkpoints))
	for i := range checkpoints {
		results[i] = s.commit(&checkpoints[i], now)
	}
	return results, nil
}

// guard decides whether a checkpoint is written, and returns its outcome; x may be nil.
func (x *session) guard(c *store.Checkpoint) store.CommitOutcome {
	switch {
	case x == nil:
		return store.Lost
	case c.Transition != "" && x.record.Transition == c.Transition:
		return store.Again
	case c.Received != nil:
		return x.guardArrival(c)
	case c.Lease == "" || x.record.Lease != c.Lease || x.record.Version != c.Version:
		return store.Lost
	case c.Closing && x.record.Inbox > c.Seen:
		return store.Refused
	}
	return store.Committed
}

// guardArrival is guard of a checkpoint that brings its request along.
func (x *session) guardArrival(c *store.Checkpoint) store.CommitOutcome {
	if x.record.Lease != "" || x.record.Version != c.Version || x.record.Inbox != c.Seen-1 || x.acceptable(&c.Received.Request) != nil {
		return store.Lost
	}
	return store.Committed
}

// fault returns the error that a database would return: an execution or message number used twice.
func (x *session) fault(c *store.Checkpoint) error {
	seqs := make(map[int64]bool, len(c.Executions))
	for i := range c.Executions {
		seq := c.Executions[i].Seq
		if _, there := x.execution(seq); there || seqs[seq] {
			return fmt.Errorf("execution %d exists", seq)
		}
		seqs[seq] = true
	}
	ns := make(map[int64]bool, len(c.Messages))
	for i := range c.Messages {
		n := c.Messages[i].N
		if _, there := x.message(n); there || ns[n] {
			return fmt.Errorf("message %d exists", n)
		}
		ns[n] = true
	}
	return nil
}

func (s commits) commit(c *store.Checkpoint, now time.Time) store.CommitResult {
	x := s.sessions[c.Session]
	outcome := x.guard(c)
	if outcome == store.Committed {
		if a := c.Received; a != nil {
			x.receive(a.As(c, now), now)
			x.record.Lease, x.record.LeaseOwner = c.Lease, a.Owner
		}
		x.advance(c, now)
		x.writeHistory(c)
		s.keepBlobs(x, c)
		s.put(x)
		s.createChildren(c)
		s.tellParent(c, now)
	}
	result := store.CommitResult{Outcome: outcome, Now: now}
	if x != nil {
		result.Inbox = x.record.Inbox
	}
	return result
}

// advance writes the session's own properties.
func (x *session) advance(c *store.Checkpoint, now time.Time) {
	r := &x.record
	r.Version++
	r.Transition, r.UpdatedAt, r.Claims = c.Transition, now, 0
	x.tried = c.Tried
	r.Status, r.Awaiting, r.AwaitingSince = c.Status, slices.Clone(c.Awaiting), utc(c.AwaitingSince)
	if c.State != nil {
		r.State = slices.Clone(c.State)
	}
	if c.Counters != nil {
		r.Counters = slices.Clone(c.Counters)
	}
	if !c.Release {
		if c.LeaseFor != 0 {
			x.extend(now.Add(c.LeaseFor))
		}
		return
	}
	x.free()
	r.DueAt = utc(c.DueAt)
	if r.Inbox > c.Seen {
		r.DueAt = now
	}
}

// writeHistory writes the history of a checkpoint and marks its requests.
func (x *session) writeHistory(c *store.Checkpoint) {
	for i := range c.Executions {
		e := cloneExecution(c.Executions[i])
		e.Session = x.record.ID
		at, _ := x.execution(e.Seq)
		x.executions = slices.Insert(x.executions, at, e)
	}
	for i := range c.Executions {
		at, _ := x.execution(c.Executions[i].Seq)
		e := &x.executions[at]
		e.Reads, e.Took = x.related(e.Reads), x.related(e.Took)
	}
	for _, m := range c.Messages {
		at, _ := x.message(m.N)
		x.messages = slices.Insert(x.messages, at, m)
	}
	for _, done := range c.Applied {
		for i := range x.requests {
			if x.requests[i].ID == done.ID {
				x.requests[i].Applied, x.requests[i].Outcome = true, done.Outcome
			}
		}
	}
	for _, r := range c.Results {
		x.results[round{r.Step, r.Visit, r.Index}] = slices.Clone(r.Output)
	}
}

// keepBlobs removes and adds blobs. A blob may belong to another session (a copy for the parent),
// which may have been deleted.
func (s commits) keepBlobs(x *session, c *store.Checkpoint) {
	for _, hash := range c.DropBlobs {
		delete(x.blobs, hash)
	}
	for _, b := range c.Blobs {
		owner := x
		if b.Session != "" {
			owner = s.sessions[b.Session]
		}
		if owner == nil {
			continue
		}
		if _, there := owner.blobs[b.Hash]; !there {
			owner.blobs[b.Hash] = slices.Clone(b.Text)
		}
	}
}

// createChildren skips a child session that an earlier attempt of the same transition created.
func (s commits) createChildren(c *store.Checkpoint) {
	for _, n := range c.Children {
		if n.Parent == "" {
			n.Parent = c.Session
		}
		if _, there := s.sessions[n.ID]; !there {
			s.newSession(n)
		}
	}
}

// tellParent delivers the end of a child to its parent's inbox. A deleted parent is skipped.
func (s commits) tellParent(c *store.Checkpoint, now time.Time) {
	if c.ToParent == nil {
		return
	}
	parent := s.sessions[c.ToParent.Session]
	if parent == nil {
		return
	}
	if _, there := parent.byKey[c.ToParent.Key]; there {
		return
	}
	parent.receive(*c.ToParent, now)
	parent.wake(now)
	s.put(parent)
}

package cypher

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// arrivalRow is the row of a checkpoint that brings its request along, for commit_received.cypher.
func arrivalRow(c *store.Checkpoint) params {
	q := c.Received.As(c, time.Time{})
	p := params{
		"version": c.Version + 1, "transition": c.Transition, "status": optional(c.Status), "claims": 0, "seal": checkpointSeal(c),
		"tried": optional(c.Tried), "inbox": c.Seen,
	}
	questionProperties(p, c.Awaiting, c.AwaitingSince)
	if c.State != nil {
		p["state"] = string(c.State)
	}
	if c.Counters != nil {
		p["counters"] = string(c.Counters)
	}
	if !c.Release {
		p["lease"], p["lease_owner"] = c.Lease, optional(c.Received.Owner)
	}
	if c.Status != store.StatusPending {
		p["pending"] = nil
	}
	return params{
		"id": c.Session, "version": c.Version, "seen": c.Seen, "released": c.Release, "due_at": stamp(c.DueAt), "lease_for": milliseconds(c.LeaseFor),
		"pending": c.Status == store.StatusPending, "request_id": q.ID, "target": optional(q.Target), "request": requestProperties(&q),
		"properties": p, "executions": executionRows(c), "messages": messageRows(c),
	}
}

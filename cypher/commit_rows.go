package cypher

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A batch is the checkpoints of one transaction, in the order of sessions.
type batch struct {
	checkpoints []*store.Checkpoint
	inboxes     map[string]int64 // of parents that received a child's end
}

func newBatch(checkpoints []store.Checkpoint) (*batch, error) {
	b := &batch{checkpoints: make([]*store.Checkpoint, len(checkpoints))}
	for i := range checkpoints {
		b.checkpoints[i] = &checkpoints[i]
	}
	slices.SortFunc(b.checkpoints, func(x, y *store.Checkpoint) int { return cmp.Compare(x.Session, y.Session) })
	for i := 1; i < len(b.checkpoints); i++ {
		if b.checkpoints[i].Session == b.checkpoints[i-1].Session {
			return nil, fmt.Errorf("%w: two checkpoints of session %s in one batch", store.ErrBadRequest, b.checkpoints[i].Session)
		}
	}
	return b, nil
}

// lean reports whether one statement writes the whole batch.
func (b *batch) lean() bool {
	return !slices.ContainsFunc(b.checkpoints, func(c *store.Checkpoint) bool {
		return len(c.Blobs) > 0 || len(c.DropBlobs) > 0 || len(c.Results) > 0 || len(c.Children) > 0 || c.ToParent != nil
	})
}

// statement writes the rows of the batch, which are all of one kind.
func (b *batch) statement() statement {
	if b.checkpoints[0].Received != nil {
		return queryCommitReceived
	}
	return queryCommit
}

// withParents are all sessions whose locks are needed, in order; nil where there is no
// parent, since the checkpoints themselves come in order.
func (b *batch) withParents() []string {
	var ids []string
	parents := false
	for _, c := range b.checkpoints {
		ids = append(ids, c.Session)
		if c.ToParent != nil {
			ids, parents = append(ids, c.ToParent.Session), true
		}
	}
	if !parents {
		return nil
	}
	return distinct(ids)
}

// unwritten are the rows that ask why checkpoints are not in the answer of the commit.
func (b *batch) unwritten(answer []row) []any {
	if len(answer) == len(b.checkpoints) {
		return nil
	}
	written := make(map[string]bool, len(answer))
	for _, r := range answer {
		written[r.text("id")] = true
	}
	var rows []any
	for _, c := range b.checkpoints {
		if !written[c.Session] {
			rows = append(rows, params{"id": c.Session, "version": c.Version, "lease": c.Lease, "transition": c.Transition, "closing": c.Closing, "seen": c.Seen})
		}
	}
	return rows
}

// rows are the checkpoints as the statement wants them.
func (b *batch) rows() []any {
	rows := make([]any, len(b.checkpoints))
	for i, c := range b.checkpoints {
		rows[i] = checkpointRow(c)
	}
	return rows
}

func checkpointRow(c *store.Checkpoint) params {
	p := params{
		"version": c.Version + 1, "transition": c.Transition, "status": optional(c.Status), "claims": 0, "seal": checkpointSeal(c), "tried": optional(c.Tried),
	}
	questionProperties(p, c.Awaiting, c.AwaitingSince)
	if c.State != nil {
		p["state"] = string(c.State)
	}
	if c.Counters != nil {
		p["counters"] = string(c.Counters)
	}
	if c.Received == nil && c.Release {
		p["lease"], p["lease_owner"], p["lease_until"] = nil, nil, nil
	}
	if c.Status != store.StatusPending {
		p["pending"] = nil
	}
	if c.Received != nil {
		return arrivalRow(c, p)
	}
	return params{
		"id": c.Session, "version": c.Version, "lease": c.Lease, "transition": c.Transition, "closing": c.Closing, "seen": c.Seen,
		"released": c.Release, "due_at": stamp(c.DueAt), "lease_for": milliseconds(c.LeaseFor), "pending": c.Status == store.StatusPending,
		"properties": p, "executions": executionRows(c), "messages": messageRows(c), "applied": appliedRows(c),
	}
}

// arrivalRow is the row of a checkpoint that brings its request along.
func arrivalRow(c *store.Checkpoint, properties params) params {
	properties["inbox"] = c.Seen
	if !c.Release {
		properties["lease"], properties["lease_owner"] = c.Lease, optional(c.Received.Owner)
	}
	q := c.Received.As(c, time.Time{})
	return params{
		"id": c.Session, "version": c.Version, "seen": c.Seen, "released": c.Release, "due_at": stamp(c.DueAt), "lease_for": milliseconds(c.LeaseFor),
		"pending": c.Status == store.StatusPending, "request_id": q.ID, "target": optional(q.Target), "request": requestProperties(&q),
		"properties": properties, "executions": executionRows(c), "messages": messageRows(c),
	}
}

func executionRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Executions))
	for i := range c.Executions {
		e := &c.Executions[i]
		rows[i] = params{"properties": executionProperties(e, c.Session), "links": linkRows(e)}
	}
	return rows
}

func executionProperties(e *store.Execution, session string) params {
	p := params{
		"id": executionID(e, session), "session": session, "seq": e.Seq, "workflow": e.Workflow, "step": e.Step,
		"visit": e.Visit, "attempt": e.Attempt, "status": e.Status,
	}
	setText(p, "function", e.Function)
	setText(p, "input", e.Input)
	setText(p, "output", e.Output)
	setText(p, "error", e.Error)
	setText(p, "paths", e.Paths)
	setText(p, "usage", e.Usage)
	setText(p, "parent", e.Parent)
	setText(p, "definition", e.Definition)
	if !e.StartedAt.IsZero() {
		p["started_at"] = stamp(e.StartedAt)
	}
	if !e.FinishedAt.IsZero() {
		p["finished_at"] = stamp(e.FinishedAt)
	}
	return p
}

func executionID(e *store.Execution, session string) string {
	if e.ID != "" {
		return e.ID
	}
	return session + "/" + strconv.FormatInt(e.Seq, 10)
}

// setText leaves out what is empty: it need not travel.
func setText[T ~string | ~[]byte](p params, name string, text T) {
	if len(text) > 0 {
		p[name] = string(text)
	}
}

// linkRows are the relations of an execution, one row for each execution at their other end,
// which is looked up once: READ leads from the execution to what it read, TOOK to the
// execution from the one a path left.
func linkRows(e *store.Execution) []any {
	rows := []any{}
	at := map[string]params{}
	add := func(lineage []store.Lineage, relation string) {
		for _, l := range lineage {
			row := at[l.Execution]
			if row == nil {
				row = params{"execution": l.Execution, "reads": []any{}, "took": []any{}}
				at[l.Execution], rows = row, append(rows, row)
			}
			row[relation] = append(row[relation].([]any), l.Label)
		}
	}
	add(e.Reads, "reads")
	add(e.Took, "took")
	return rows
}

func messageRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Messages))
	for i := range c.Messages {
		m := &c.Messages[i]
		p := params{"id": m.ID, "session": c.Session, "n": m.N, "role": m.Role, "content": m.Content}
		if m.ID == "" {
			p["id"] = c.Session + "/" + strconv.FormatInt(m.N, 10)
		}
		setText(p, "step", m.Step)
		if m.At != 0 {
			p["at"] = stamp(time.UnixMilli(m.At))
		}
		rows[i] = p
	}
	return rows
}

func appliedRows(c *store.Checkpoint) []any {
	rows := make([]any, len(c.Applied))
	for i, a := range c.Applied {
		rows[i] = params{"id": a.ID, "outcome": optional(a.Outcome)}
	}
	return rows
}

// passed are the checkpoints that were written now.
func (b *batch) passed(written map[string]bool) func(func(*store.Checkpoint) bool) {
	return func(yield func(*store.Checkpoint) bool) {
		for _, c := range b.checkpoints {
			if written[c.Session] && !yield(c) {
				return
			}
		}
	}
}

func (b *batch) droppedBlobs(written map[string]bool) (ids []any) {
	for c := range b.passed(written) {
		for _, hash := range c.DropBlobs {
			ids = append(ids, blobID(c.Session, hash))
		}
	}
	return ids
}

func blobID(session, hash string) string { return session + "/" + hash }

func (b *batch) blobs(written map[string]bool) (rows []any) {
	for c := range b.passed(written) {
		for _, blob := range c.Blobs {
			session := ownerOf(blob.Session, c)
			rows = append(rows, params{"id": blobID(session, blob.Hash), "session": session, "hash": blob.Hash, "text": string(blob.Text)})
		}
	}
	return rows
}

// ownerOf is the session that a part of a checkpoint names, or the checkpoint's own.
func ownerOf(session string, c *store.Checkpoint) string {
	if session == "" {
		return c.Session
	}
	return session
}

func (b *batch) results(written map[string]bool) (rows []any) {
	for c := range b.passed(written) {
		for _, r := range c.Results {
			session := ownerOf(r.Session, c)
			rows = append(rows, params{"id": fmt.Sprintf("%s/%s/%d/%d", session, r.Step, r.Visit, r.Index), "session": session,
				"step": r.Step, "visit": r.Visit, "index": r.Index, "output": string(r.Output)})
		}
	}
	return rows
}

// children are created as by Create, but one whose id exists already is left as it is.
func (b *batch) children(written map[string]bool) (rows []any) {
	seen := map[string]bool{}
	for c := range b.passed(written) {
		for i := range c.Children {
			child := c.Children[i]
			if seen[child.ID] {
				continue
			}
			seen[child.ID] = true
			child.Parent = ownerOf(child.Parent, c)
			rows = append(rows, creationRow(&child, c.Transition))
		}
	}
	return rows
}

// parents are the ends of children, folded into one row for each parent.
func (b *batch) parents(written map[string]bool) []any {
	var order []any
	byParent := map[string]params{}
	seen := map[string]bool{}
	for c := range b.passed(written) {
		if c.ToParent == nil {
			continue
		}
		q := *c.ToParent
		q.ID = q.Session + "/" + q.Key
		if seen[q.ID] {
			continue
		}
		seen[q.ID] = true
		if byParent[q.Session] == nil {
			byParent[q.Session] = params{"id": q.Session, "requests": []any{}}
			order = append(order, byParent[q.Session])
		}
		row := byParent[q.Session]
		row["requests"] = append(row["requests"].([]any), requestProperties(&q))
	}
	return order
}

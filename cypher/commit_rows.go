package cypher

import (
	"cmp"
	"fmt"
	"slices"

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
		if c.Received != nil {
			rows[i] = arrivalRow(c)
		} else {
			rows[i] = checkpointRow(c)
		}
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

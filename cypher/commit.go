package cypher

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Commit applies checkpoints in one transaction. Most carry state, history and messages
// only: they are one statement and one round trip. Sending them again is harmless, so
// where an answer is lost they are.
func (s *Store) Commit(ctx context.Context, checkpoints []engine.Checkpoint) ([]engine.CommitResult, error) {
	if len(checkpoints) == 0 {
		return nil, nil
	}
	b, err := newBatch(checkpoints)
	if err != nil {
		return nil, err
	}
	var answer []row
	if b.lean() {
		answer, err = s.commitLean(ctx, b)
	} else {
		err = s.together(ctx, queryCommit.name, true, func(t transaction) error {
			answer, err = b.write(ctx, t)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return s.outcomes(ctx, checkpoints, answer, b.inboxes)
}

// commitLean writes in one statement, and asks about what was not written in another.
func (s *Store) commitLean(ctx context.Context, b *batch) ([]row, error) {
	answer, err := s.write(ctx, queryCommit, params{"rows": b.rows()})
	if err != nil {
		return nil, err
	}
	left := b.unwritten(answer)
	if len(left) == 0 {
		return answer, nil
	}
	reasons, err := s.write(ctx, queryCommitUnwritten, params{"rows": left})
	return append(answer, reasons...), err
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

// A batch is the checkpoints of one transaction, in the order of sessions.
type batch struct {
	checkpoints []*engine.Checkpoint
	inboxes     map[string]int64 // of parents that received a child's end
}

func newBatch(checkpoints []engine.Checkpoint) (*batch, error) {
	b := &batch{checkpoints: make([]*engine.Checkpoint, len(checkpoints))}
	for i := range checkpoints {
		b.checkpoints[i] = &checkpoints[i]
	}
	slices.SortFunc(b.checkpoints, func(x, y *engine.Checkpoint) int { return cmp.Compare(x.Session, y.Session) })
	for i := 1; i < len(b.checkpoints); i++ {
		if b.checkpoints[i].Session == b.checkpoints[i-1].Session {
			return nil, fmt.Errorf("%w: two checkpoints of session %s in one batch", engine.ErrBadRequest, b.checkpoints[i].Session)
		}
	}
	return b, nil
}

// lean reports whether one statement writes the whole batch.
func (b *batch) lean() bool {
	return !slices.ContainsFunc(b.checkpoints, func(c *engine.Checkpoint) bool {
		return len(c.Blobs) > 0 || len(c.DropBlobs) > 0 || len(c.Results) > 0 || len(c.Children) > 0 || c.ToParent != nil
	})
}

// write writes the checkpoints, and of those that pass their guard the rest.
func (b *batch) write(ctx context.Context, t transaction) ([]row, error) {
	if ids := b.withParents(); ids != nil {
		if _, err := t.query(ctx, queryLock, params{"ids": ids}); err != nil {
			return nil, err
		}
	}
	answer, err := t.query(ctx, queryCommit, params{"rows": b.rows()})
	if err != nil {
		return nil, err
	}
	written := make(map[string]bool, len(answer))
	for _, r := range answer {
		written[r.text("id")] = true
	}
	if left := b.unwritten(answer); len(left) > 0 {
		reasons, err := t.query(ctx, queryCommitUnwritten, params{"rows": left})
		if err != nil {
			return nil, err
		}
		answer = append(answer, reasons...)
	}
	for _, part := range []struct {
		statement statement
		name      string
		rows      []any
	}{
		{queryCreate, "rows", b.children(written)}, // first: a blob may be for a child
		{queryCommitDropBlobs, "ids", b.droppedBlobs(written)},
		{queryCommitBlobs, "rows", b.blobs(written)},
		{queryCommitResults, "rows", b.results(written)},
	} {
		if len(part.rows) == 0 {
			continue
		}
		if _, err := t.query(ctx, part.statement, params{part.name: part.rows}); err != nil {
			return nil, err
		}
	}
	return answer, b.tellParents(ctx, t, written)
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

func (b *batch) tellParents(ctx context.Context, t transaction, written map[string]bool) error {
	rows := b.parents(written)
	if len(rows) == 0 {
		return nil
	}
	answer, err := t.query(ctx, queryCommitParents, params{"rows": rows})
	b.inboxes = map[string]int64{}
	for _, r := range answer {
		b.inboxes[r.text("id")] = r.number("inbox")
	}
	return err
}

// outcomes are those of commit_unwritten.cypher, and of commit.cypher, which has no such column.
var outcomes = map[string]engine.CommitOutcome{
	"": engine.Committed, "again": engine.Again, "lost": engine.Lost, "refused": engine.Refused,
}

// outcomes brings the answer into the order of the checkpoints. A session without a row
// does not exist.
func (s *Store) outcomes(ctx context.Context, checkpoints []engine.Checkpoint, answer []row, inboxes map[string]int64) ([]engine.CommitResult, error) {
	byID := make(map[string]engine.CommitResult, len(answer))
	var now time.Time
	for _, r := range answer {
		now = r.time("now")
		byID[r.text("id")] = engine.CommitResult{Outcome: outcomes[r.text("outcome")], Inbox: r.number("inbox"), Now: now}
	}
	if now.IsZero() {
		var err error
		if now, err = s.Now(ctx); err != nil {
			return nil, err
		}
	}
	results := make([]engine.CommitResult, len(checkpoints))
	for i := range checkpoints {
		id := checkpoints[i].Session
		result, found := byID[id]
		if !found {
			result = engine.CommitResult{Outcome: engine.Lost, Now: now}
		}
		if inbox, told := inboxes[id]; told {
			result.Inbox = inbox
		}
		results[i] = result
	}
	return results, nil
}

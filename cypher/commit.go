package cypher

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// commits writes checkpoints.
type commits struct{ *db }

// Commit applies checkpoints in one transaction. Most carry state, history and messages
// only: they are one statement and one round trip. Sending them again is harmless, so
// where an answer is lost they are.
func (s commits) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	if len(checkpoints) == 0 {
		return nil, nil
	}
	if own, arrivals := ofArrivals(checkpoints); len(own) > 0 && len(arrivals) > 0 {
		return s.commitApart(ctx, checkpoints, own, arrivals)
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

// ofArrivals divides checkpoints by their statement: those of holders, and those that bring their request along.
func ofArrivals(checkpoints []store.Checkpoint) (own, arrivals []int) {
	for i := range checkpoints {
		if checkpoints[i].Received != nil {
			arrivals = append(arrivals, i)
		} else {
			own = append(own, i)
		}
	}
	return own, arrivals
}

// commitApart writes checkpoints in one transaction for each group. Engines do not mix them.
func (s commits) commitApart(ctx context.Context, checkpoints []store.Checkpoint, groups ...[]int) ([]store.CommitResult, error) {
	results := make([]store.CommitResult, len(checkpoints))
	for _, group := range groups {
		some := make([]store.Checkpoint, len(group))
		for n, i := range group {
			some[n] = checkpoints[i]
		}
		answers, err := s.Commit(ctx, some)
		if err != nil {
			return nil, err
		}
		for n, i := range group {
			results[i] = answers[n]
		}
	}
	return results, nil
}

// commitLean writes in one statement, and asks about what was not written in another.
func (s commits) commitLean(ctx context.Context, b *batch) ([]row, error) {
	answer, err := s.write(ctx, b.statement(), params{"rows": b.rows()})
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

// write writes the checkpoints, and of those that pass their guard the rest.
func (b *batch) write(ctx context.Context, t transaction) ([]row, error) {
	if ids := b.withParents(); ids != nil {
		if _, err := t.query(ctx, queryLock, params{"ids": ids}); err != nil {
			return nil, err
		}
	}
	answer, err := t.query(ctx, b.statement(), params{"rows": b.rows()})
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
var outcomes = map[string]store.CommitOutcome{
	"": store.Committed, "again": store.Again, "lost": store.Lost, "refused": store.Refused,
}

// outcomes brings the answer into the order of the checkpoints. A session without a row
// does not exist.
func (s commits) outcomes(ctx context.Context, checkpoints []store.Checkpoint, answer []row, inboxes map[string]int64) ([]store.CommitResult, error) {
	byID := make(map[string]store.CommitResult, len(answer))
	var now time.Time
	for _, r := range answer {
		now = r.time("now")
		byID[r.text("id")] = store.CommitResult{Outcome: outcomes[r.text("outcome")], Inbox: r.number("inbox"), Now: now}
	}
	if now.IsZero() {
		var err error
		if now, err = s.Now(ctx); err != nil {
			return nil, err
		}
	}
	results := make([]store.CommitResult, len(checkpoints))
	for i := range checkpoints {
		id := checkpoints[i].Session
		result, found := byID[id]
		if !found {
			result = store.CommitResult{Outcome: store.Lost, Now: now}
		}
		if inbox, told := inboxes[id]; told {
			result.Inbox = inbox
		}
		results[i] = result
	}
	return results, nil
}

package cypher

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batchCandidates is how many due batches are looked at: where engines ask at the same
// moment, all but one of them go on to the next.
const batchCandidates = 20

// ClaimBatch leases the batch that has been due longest.
func (s batches) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	due, err := s.read(ctx, queryBatchesDue, params{"limit": batchCandidates})
	if err != nil {
		return nil, err
	}
	for _, candidate := range due {
		rows, err := s.write(ctx, queryBatchClaim, params{
			"id": candidate.text("id"), "token": lease.Token, "owner": lease.Owner, "for": milliseconds(lease.For)})
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			return oneBatch(candidate.text("id"), rows, nil)
		}
	}
	return nil, nil
}

// SaveBatch writes a batch's progress with its items, if the lease still stands. A
// repeated sending finds its own mark and writes nothing twice.
func (s batches) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	p := params{
		"id": b.ID, "lease": optional(b.Lease), "saving": rand.Text(), "released": release || b.Lease == "",
		"due_at": stamp(b.DueAt), "for": milliseconds(extend),
		"properties": params{"phase": b.Phase, "message": optional(b.Message), "total": b.Total, "done": b.Done, "failed": b.Failed, "reached": b.Reached},
	}
	saved := false
	err := s.together(ctx, "save batch "+b.ID, true, func(t transaction) error {
		rows, err := t.query(ctx, queryBatchSave, p)
		saved = len(rows) > 0
		if err != nil || !saved || rows[0].yes("again") {
			return err
		}
		return askForItems(ctx, t, queryBatchItemsSave, items, func(i *store.BatchItem) params {
			return params{"id": itemID(b.ID, i.N), "properties": itemProgress(i)}
		})
	})
	return saved && err == nil, err
}

// StopBatch stops a batch that is not over.
func (s batches) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	rows, err := s.write(ctx, queryBatchStop, params{"id": id, "message": optional(message)})
	return oneBatch(id, rows, err)
}

// ContinueBatch takes a stopped batch up where it was.
func (s batches) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	rows, err := s.write(ctx, queryBatchContinue, params{"id": id})
	return oneBatch(id, rows, err)
}

// DeleteBatch removes a batch that no engine has leased, deleteBatch items at each call; the batch goes
// last, so that what was cut off in the middle can be deleted again.
func (s batches) DeleteBatch(ctx context.Context, id string) (bool, error) {
	done, tried := false, false // tried: an earlier sending may have removed it already
	err := s.together(ctx, "delete batch "+id, true, func(t transaction) error {
		rows, err := t.query(ctx, queryBatchDeleteBegin, params{"id": id})
		switch {
		case err != nil:
			return err
		case len(rows) == 0 && tried:
			done = true
			return nil
		case len(rows) == 0:
			return fmt.Errorf("%w: %s", store.ErrBatchNotFound, id)
		case rows[0].yes("held"):
			return fmt.Errorf("%w: batch %s", store.ErrSessionBusy, id)
		}
		done = false
		rows, err = t.query(ctx, queryBatchItemsDelete, params{"id": id, "limit": deleteBatch})
		if err != nil || rows[0].number("deleted") == deleteBatch {
			return err
		}
		tried, done = true, true
		_, err = t.query(ctx, queryBatchDelete, params{"id": id})
		return err
	})
	return done && err == nil, err
}

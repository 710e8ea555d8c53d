package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// ClaimBatch leases the batch that has been due longest. Nothing due costs one read and no
// write lock.
func (s batches) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	var one int
	err := s.reader.row(ctx, "batch_due", func(row scanner) error { return row.Scan(&one) }, s.clock().UnixMicro())
	if noRow(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault("look for batches", err)
	}
	var b *store.Batch
	err = s.writer.write(ctx, "claim batch", func(t *tx) error {
		b = new(store.Batch)
		err := t.row("batch_claim", func(row scanner) error { return scanBatch(row, b) }, lease.Token, lease.Owner, t.now, t.now+lease.For.Microseconds())
		if noRow(err) { // another engine was faster
			b, err = nil, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// SaveBatch writes a batch's progress with its items, if the lease still stands.
func (s batches) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	saved := false
	err := s.writer.write(ctx, "save batch "+b.ID, func(t *tx) (err error) {
		saved, err = t.saveBatch(&b, items, extend, release)
		return err
	})
	return saved && err == nil, err
}

func (t *tx) saveBatch(b *store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	lease, until, due := "", any(nil), micros(b.DueAt)
	if !release && b.Lease != "" {
		lease, until = b.Lease, t.now+extend.Microseconds()
		due = until
	}
	stands, err := t.exec("batch_save", b.ID, b.Lease, b.Phase, b.Message, b.Total, b.Done, b.Failed, b.Reached, lease, until, due, t.now)
	if err != nil || stands == 0 {
		return false, err
	}
	for i := range items {
		item := &items[i]
		_, err := t.exec("batch_item_save", b.ID, item.N, item.Step, item.Visit, item.Ask, item.Outcome, item.Error, text(item.Would))
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// StopBatch stops a batch that has not ended.
func (s batches) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return s.changeBatch(ctx, "stop batch "+id, id, func(t *tx) error {
		_, err := t.exec("batch_stop", id, message, t.now)
		return err
	})
}

// ContinueBatch resumes a stopped batch in the phase in which it was stopped.
func (s batches) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	return s.changeBatch(ctx, "continue batch "+id, id, func(t *tx) error {
		_, err := t.exec("batch_continue", id, t.now)
		return err
	})
}

// changeBatch makes a change and returns the batch after it.
func (s batches) changeBatch(ctx context.Context, what, id string, change func(*tx) error) (*store.Batch, error) {
	var b store.Batch
	err := s.writer.write(ctx, what, func(t *tx) error {
		err := change(t)
		if err != nil {
			return err
		}
		b, err = t.batch(id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &b, nil
}

// DeleteBatch removes a batch that no worker holds, at most deleteBatch rows per call; the batch's
// own row goes last.
func (s batches) DeleteBatch(ctx context.Context, id string) (bool, error) {
	done := false
	err := s.writer.write(ctx, "delete batch "+id, func(t *tx) (err error) {
		done, err = t.deleteItems(id, deleteBatch)
		return err
	})
	return done && err == nil, err
}

func (t *tx) deleteItems(id string, room int64) (bool, error) {
	b, err := t.batch(id)
	if err != nil {
		return false, err
	}
	if b.Lease != "" && b.LeaseUntil.After(t.time()) {
		return false, fmt.Errorf("batch %s: %w by %s", id, store.ErrSessionBusy, b.LeaseOwner)
	}
	if err := t.deleteAll("batch_unschedule", id); err != nil {
		return false, err
	}
	gone, err := t.exec("delete_batch_item", id, room)
	if err != nil || gone == room {
		return false, err
	}
	return true, t.deleteAll("delete_batch", id)
}

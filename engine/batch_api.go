package engine

import (
	"context"
	"encoding/json"
)

// Batch returns a batch with its progress, or ErrBatchNotFound.
func (e *Engine) Batch(ctx context.Context, id string) (*Batch, error) {
	return e.store.Batch(ctx, id)
}

// Batches lists batches, newest first.
func (e *Engine) Batches(ctx context.Context, after Cursor, limit int) ([]Batch, error) {
	return e.store.ListBatches(ctx, after, pageSize(limit))
}

// BatchItems returns a page of a batch's items in order, each with the response it gives;
// they may be given to StartBatch again.
func (e *Engine) BatchItems(ctx context.Context, id string, q ItemQuery) ([]BatchItem, error) {
	b, err := e.Batch(ctx, id)
	if err != nil {
		return nil, err
	}
	items, err := e.store.BatchItems(ctx, id, q)
	if err != nil {
		return nil, err
	}
	if b.Phase != BatchCollecting {
		items = withinTotal(items, b.Total)
	}
	var o BatchOptions
	if err := json.Unmarshal(b.Options, &o); err != nil || len(o.Response) == 0 {
		return items, nil
	}
	for i := range items {
		if len(items[i].Response) == 0 {
			items[i].Response = o.Response
		}
	}
	return items, nil
}

// StopBatch stops a batch; items done stay done.
func (e *Engine) StopBatch(ctx context.Context, id, message string) (*Batch, error) {
	return e.store.StopBatch(ctx, id, message)
}

// ContinueBatch lets a stopped batch go on where it was.
func (e *Engine) ContinueBatch(ctx context.Context, id string) (*Batch, error) {
	b, err := e.store.ContinueBatch(ctx, id)
	if err == nil {
		e.wakeBatches()
	}
	return b, err
}

// DeleteBatch removes a batch with its items; what it did stays done. ErrBatchNotFound,
// and ErrSessionBusy while it is worked on: stop it first.
func (e *Engine) DeleteBatch(ctx context.Context, id string) error {
	for {
		done, err := e.store.DeleteBatch(ctx, id)
		if done || err != nil {
			return err
		}
	}
}

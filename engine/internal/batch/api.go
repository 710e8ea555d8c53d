package batch

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Bounds of a page of batches.
const (
	defaultPage = 50
	maxPage     = 500
)

// Batch returns a batch with its progress, or ErrBatchNotFound.
func (o *Operations) Batch(ctx context.Context, id string) (*store.Batch, error) {
	return o.opt.Store.Batch(ctx, id)
}

// Batches lists batches, newest first.
func (o *Operations) Batches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	if limit <= 0 {
		limit = defaultPage
	}
	return o.opt.Store.ListBatches(ctx, after, min(limit, maxPage))
}

// BatchItems returns a page of a batch's items in order, each with the response it gives;
// they may be given to StartBatch again.
func (o *Operations) BatchItems(ctx context.Context, id string, q store.ItemQuery) ([]store.BatchItem, error) {
	b, err := o.Batch(ctx, id)
	if err != nil {
		return nil, err
	}
	items, err := o.opt.Store.BatchItems(ctx, id, q)
	if err != nil {
		return nil, err
	}
	if b.Phase != store.BatchCollecting {
		items = withinTotal(items, b.Total)
	}
	var options store.BatchOptions
	if err := json.Unmarshal(b.Options, &options); err != nil || len(options.Response) == 0 {
		return items, nil
	}
	for i := range items {
		if len(items[i].Response) == 0 {
			items[i].Response = options.Response
		}
	}
	return items, nil
}

// StopBatch stops a batch; items done stay done.
func (o *Operations) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return o.opt.Store.StopBatch(ctx, id, message)
}

// ContinueBatch lets a stopped batch go on where it was.
func (o *Operations) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	b, err := o.opt.Store.ContinueBatch(ctx, id)
	if err == nil {
		o.wakeUp()
	}
	return b, err
}

// DeleteBatch removes a batch with its items; what it did stays done. ErrBatchNotFound,
// and ErrSessionBusy while it is worked on: stop it first.
func (o *Operations) DeleteBatch(ctx context.Context, id string) error {
	for {
		done, err := o.opt.Store.DeleteBatch(ctx, id)
		if done || err != nil {
			return err
		}
	}
}

package engine

import "context"

// Batch returns a batch with its progress, or ErrBatchNotFound.
func (e *Engine) Batch(ctx context.Context, id string) (*Batch, error) {
	return e.store.Batch(ctx, id)
}

// Batches lists batches, newest first.
func (e *Engine) Batches(ctx context.Context, after Cursor, limit int) ([]Batch, error) {
	return e.store.ListBatches(ctx, after, pageSize(limit))
}

// BatchItems returns a page of a batch's items in order; they may be given to StartBatch
// again.
func (e *Engine) BatchItems(ctx context.Context, id string, q ItemQuery) ([]BatchItem, error) {
	if _, err := e.Batch(ctx, id); err != nil {
		return nil, err
	}
	return e.store.BatchItems(ctx, id, q)
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

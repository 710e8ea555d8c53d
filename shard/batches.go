package shard

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batches are kept in the default database, with their items; the sessions of their items may be
// in any. Nothing of a batch needs a transaction with a session: an item is a request under a key.
type batches struct{ *homes }

// CreateBatch writes a batch.
func (s batches) CreateBatch(ctx context.Context, b store.Batch) (made store.Batch, exists bool, err error) {
	err = do(ctx, s.main(), func(st store.Store) (err error) {
		made, exists, err = st.CreateBatch(ctx, b)
		return err
	})
	return made, exists, err
}

// AddBatchItems writes items.
func (s batches) AddBatchItems(ctx context.Context, batch string, items []store.BatchItem) error {
	return do(ctx, s.main(), func(st store.Store) error { return st.AddBatchItems(ctx, batch, items) })
}

// Batch reads a batch.
func (s batches) Batch(ctx context.Context, id string) (*store.Batch, error) {
	return call(ctx, s.main(), func(st store.Store) (*store.Batch, error) { return st.Batch(ctx, id) })
}

// ListBatches lists batches.
func (s batches) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	return call(ctx, s.main(), func(st store.Store) ([]store.Batch, error) { return st.ListBatches(ctx, after, limit) })
}

// BatchItems reads items.
func (s batches) BatchItems(ctx context.Context, batch string, q store.ItemQuery) ([]store.BatchItem, error) {
	return call(ctx, s.main(), func(st store.Store) ([]store.BatchItem, error) { return st.BatchItems(ctx, batch, q) })
}

// ClaimBatch leases a batch.
func (s batches) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	return call(ctx, s.main(), func(st store.Store) (*store.Batch, error) { return st.ClaimBatch(ctx, lease) })
}

// SaveBatch writes a batch's progress.
func (s batches) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	return call(ctx, s.main(), func(st store.Store) (bool, error) { return st.SaveBatch(ctx, b, items, extend, release) })
}

// StopBatch stops a batch.
func (s batches) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return call(ctx, s.main(), func(st store.Store) (*store.Batch, error) { return st.StopBatch(ctx, id, message) })
}

// ContinueBatch continues a stopped batch.
func (s batches) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	return call(ctx, s.main(), func(st store.Store) (*store.Batch, error) { return st.ContinueBatch(ctx, id) })
}

// DeleteBatch removes a batch.
func (s batches) DeleteBatch(ctx context.Context, id string) (bool, error) {
	return call(ctx, s.main(), func(st store.Store) (bool, error) { return st.DeleteBatch(ctx, id) })
}

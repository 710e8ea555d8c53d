package storetest

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

func (p retryingStore) CreateBatch(ctx context.Context, b store.Batch) (made store.Batch, exists bool, err error) {
	made, err = again(ctx, func() (made store.Batch, err error) {
		made, exists, err = p.Store.CreateBatch(ctx, b)
		return made, err
	})
	return made, exists, err
}

func (p retryingStore) AddBatchItems(ctx context.Context, batch string, items []store.BatchItem) error {
	_, err := again(ctx, only(func() error { return p.Store.AddBatchItems(ctx, batch, items) }))
	return err
}

func (p retryingStore) Batch(ctx context.Context, id string) (*store.Batch, error) {
	return again(ctx, func() (*store.Batch, error) { return p.Store.Batch(ctx, id) })
}

func (p retryingStore) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	return again(ctx, func() ([]store.Batch, error) { return p.Store.ListBatches(ctx, after, limit) })
}

func (p retryingStore) BatchItems(ctx context.Context, batch string, q store.ItemQuery) ([]store.BatchItem, error) {
	return again(ctx, func() ([]store.BatchItem, error) { return p.Store.BatchItems(ctx, batch, q) })
}

func (p retryingStore) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	return again(ctx, func() (*store.Batch, error) { return p.Store.ClaimBatch(ctx, lease) })
}

func (p retryingStore) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.SaveBatch(ctx, b, items, extend, release) })
}

func (p retryingStore) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return again(ctx, func() (*store.Batch, error) { return p.Store.StopBatch(ctx, id, message) })
}

func (p retryingStore) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	return again(ctx, func() (*store.Batch, error) { return p.Store.ContinueBatch(ctx, id) })
}

func (p retryingStore) DeleteBatch(ctx context.Context, id string) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.DeleteBatch(ctx, id) })
}

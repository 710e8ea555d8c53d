package storetest

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

func (p patient) CreateBatch(ctx context.Context, b engine.Batch) (made engine.Batch, exists bool, err error) {
	made, err = again(ctx, func() (made engine.Batch, err error) {
		made, exists, err = p.Store.CreateBatch(ctx, b)
		return made, err
	})
	return made, exists, err
}

func (p patient) AddBatchItems(ctx context.Context, batch string, items []engine.BatchItem) error {
	_, err := again(ctx, only(func() error { return p.Store.AddBatchItems(ctx, batch, items) }))
	return err
}

func (p patient) Batch(ctx context.Context, id string) (*engine.Batch, error) {
	return again(ctx, func() (*engine.Batch, error) { return p.Store.Batch(ctx, id) })
}

func (p patient) ListBatches(ctx context.Context, after engine.Cursor, limit int) ([]engine.Batch, error) {
	return again(ctx, func() ([]engine.Batch, error) { return p.Store.ListBatches(ctx, after, limit) })
}

func (p patient) BatchItems(ctx context.Context, batch string, q engine.ItemQuery) ([]engine.BatchItem, error) {
	return again(ctx, func() ([]engine.BatchItem, error) { return p.Store.BatchItems(ctx, batch, q) })
}

func (p patient) ClaimBatch(ctx context.Context, lease engine.Lease) (*engine.Batch, error) {
	return again(ctx, func() (*engine.Batch, error) { return p.Store.ClaimBatch(ctx, lease) })
}

func (p patient) SaveBatch(ctx context.Context, b engine.Batch, items []engine.BatchItem, extend time.Duration, release bool) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.SaveBatch(ctx, b, items, extend, release) })
}

func (p patient) StopBatch(ctx context.Context, id, message string) (*engine.Batch, error) {
	return again(ctx, func() (*engine.Batch, error) { return p.Store.StopBatch(ctx, id, message) })
}

func (p patient) ContinueBatch(ctx context.Context, id string) (*engine.Batch, error) {
	return again(ctx, func() (*engine.Batch, error) { return p.Store.ContinueBatch(ctx, id) })
}

func (p patient) DeleteBatch(ctx context.Context, id string) (bool, error) {
	return again(ctx, func() (bool, error) { return p.Store.DeleteBatch(ctx, id) })
}

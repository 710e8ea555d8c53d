package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// CreateBatch calls the store below as planned.
func (s *Store) CreateBatch(ctx context.Context, b engine.Batch) (engine.Batch, bool, error) {
	exists := false
	made, err := write(s, "CreateBatch", func() (made engine.Batch, err error) {
		made, exists, err = s.inner.CreateBatch(ctx, b)
		return made, err
	})
	return made, exists && err == nil, err
}

// AddBatchItems calls the store below as planned.
func (s *Store) AddBatchItems(ctx context.Context, batch string, items []engine.BatchItem) error {
	_, err := write(s, "AddBatchItems", only(func() error { return s.inner.AddBatchItems(ctx, batch, items) }))
	return err
}

// Batch calls the store below as planned.
func (s *Store) Batch(ctx context.Context, id string) (*engine.Batch, error) {
	return read(s, "Batch", func() (*engine.Batch, error) { return s.inner.Batch(ctx, id) })
}

// ListBatches calls the store below as planned.
func (s *Store) ListBatches(ctx context.Context, after engine.Cursor, limit int) ([]engine.Batch, error) {
	return read(s, "ListBatches", func() ([]engine.Batch, error) { return s.inner.ListBatches(ctx, after, limit) })
}

// BatchItems calls the store below as planned.
func (s *Store) BatchItems(ctx context.Context, batch string, q engine.ItemQuery) ([]engine.BatchItem, error) {
	return read(s, "BatchItems", func() ([]engine.BatchItem, error) { return s.inner.BatchItems(ctx, batch, q) })
}

// ClaimBatch calls the store below as planned.
func (s *Store) ClaimBatch(ctx context.Context, lease engine.Lease) (*engine.Batch, error) {
	return write(s, "ClaimBatch", func() (*engine.Batch, error) { return s.inner.ClaimBatch(ctx, lease) })
}

// SaveBatch calls the store below as planned.
func (s *Store) SaveBatch(ctx context.Context, b engine.Batch, items []engine.BatchItem, extend time.Duration, release bool) (bool, error) {
	return write(s, "SaveBatch", func() (bool, error) { return s.inner.SaveBatch(ctx, b, items, extend, release) })
}

// StopBatch calls the store below as planned.
func (s *Store) StopBatch(ctx context.Context, id, message string) (*engine.Batch, error) {
	return write(s, "StopBatch", func() (*engine.Batch, error) { return s.inner.StopBatch(ctx, id, message) })
}

// ContinueBatch calls the store below as planned.
func (s *Store) ContinueBatch(ctx context.Context, id string) (*engine.Batch, error) {
	return write(s, "ContinueBatch", func() (*engine.Batch, error) { return s.inner.ContinueBatch(ctx, id) })
}

// DeleteBatch calls the store below as planned.
func (s *Store) DeleteBatch(ctx context.Context, id string) (bool, error) {
	return write(s, "DeleteBatch", func() (bool, error) { return s.inner.DeleteBatch(ctx, id) })
}

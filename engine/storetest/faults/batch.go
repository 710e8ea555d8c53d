package faults

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// CreateBatch calls the store below as planned.
func (s *Store) CreateBatch(ctx context.Context, b store.Batch) (store.Batch, bool, error) {
	exists := false
	made, err := write(s, "CreateBatch", func() (made store.Batch, err error) {
		made, exists, err = s.inner.CreateBatch(ctx, b)
		return made, err
	})
	return made, exists && err == nil, err
}

// AddBatchItems calls the store below as planned.
func (s *Store) AddBatchItems(ctx context.Context, batch string, items []store.BatchItem) error {
	_, err := write(s, "AddBatchItems", only(func() error { return s.inner.AddBatchItems(ctx, batch, items) }))
	return err
}

// Batch calls the store below as planned.
func (s *Store) Batch(ctx context.Context, id string) (*store.Batch, error) {
	return read(s, "Batch", func() (*store.Batch, error) { return s.inner.Batch(ctx, id) })
}

// ListBatches calls the store below as planned.
func (s *Store) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	return read(s, "ListBatches", func() ([]store.Batch, error) { return s.inner.ListBatches(ctx, after, limit) })
}

// BatchItems calls the store below as planned.
func (s *Store) BatchItems(ctx context.Context, batch string, q store.ItemQuery) ([]store.BatchItem, error) {
	return read(s, "BatchItems", func() ([]store.BatchItem, error) { return s.inner.BatchItems(ctx, batch, q) })
}

// ClaimBatch calls the store below as planned.
func (s *Store) ClaimBatch(ctx context.Context, lease store.Lease) (*store.Batch, error) {
	return write(s, "ClaimBatch", func() (*store.Batch, error) { return s.inner.ClaimBatch(ctx, lease) })
}

// SaveBatch calls the store below as planned.
func (s *Store) SaveBatch(ctx context.Context, b store.Batch, items []store.BatchItem, extend time.Duration, release bool) (bool, error) {
	return write(s, "SaveBatch", func() (bool, error) { return s.inner.SaveBatch(ctx, b, items, extend, release) })
}

// StopBatch calls the store below as planned.
func (s *Store) StopBatch(ctx context.Context, id, message string) (*store.Batch, error) {
	return write(s, "StopBatch", func() (*store.Batch, error) { return s.inner.StopBatch(ctx, id, message) })
}

// ContinueBatch calls the store below as planned.
func (s *Store) ContinueBatch(ctx context.Context, id string) (*store.Batch, error) {
	return write(s, "ContinueBatch", func() (*store.Batch, error) { return s.inner.ContinueBatch(ctx, id) })
}

// DeleteBatch calls the store below as planned.
func (s *Store) DeleteBatch(ctx context.Context, id string) (bool, error) {
	return write(s, "DeleteBatch", func() (bool, error) { return s.inner.DeleteBatch(ctx, id) })
}

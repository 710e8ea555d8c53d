package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// batches are created, filled, leased and deleted with their items.
type batches struct{ *data }

// CreateBatch creates a batch, unless a batch with its key or id exists.
func (s batches) CreateBatch(ctx context.Context, b store.Batch) (store.Batch, bool, error) {
	if err := s.begin(ctx); err != nil {
		return store.Batch{}, false, err
	}
	defer s.mu.Unlock()
	there := s.batches[b.ID]
	if first := s.batchKeys[b.Key]; b.Key != "" && first != "" {
		there = s.batches[first]
	}
	if there != nil {
		if there.record.Key != b.Key || there.record.BodyHash != b.BodyHash {
			return store.Batch{}, false, fmt.Errorf("batch %s, key %q: %w", there.record.ID, b.Key, store.ErrKeyReused)
		}
		return cloneBatch(there.record), true, nil
	}
	b = cloneBatch(b)
	now := s.now()
	b.Phase, b.CreatedAt, b.UpdatedAt, b.DueAt = store.BatchCollecting, now, now, time.Time{}
	b.Lease, b.LeaseOwner, b.LeaseUntil = "", "", time.Time{}
	s.batches[b.ID] = &batch{record: b}
	if b.Key != "" {
		s.batchKeys[b.Key] = b.ID
	}
	return cloneBatch(b), false, nil
}

// AddBatchItems puts items under their numbers.
func (s batches) AddBatchItems(ctx context.Context, id string, items []store.BatchItem) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	x, err := s.batch(id)
	if err != nil {
		return err
	}
	if x.record.Phase != store.BatchCollecting {
		return fmt.Errorf("batch %s: %w: it is %s, its items are complete", id, store.ErrVersionMismatch, x.record.Phase)
	}
	for _, item := range items {
		item.Batch = id
		i, there := x.find(item.N)
		if !there {
			x.items = slices.Insert(x.items, i, store.BatchItem{})
		}
		x.items[i] = cloneItem(item)
	}
	x.record.UpdatedAt = s.now()
	return nil
}

func (s batches) batch(id string) (*batch, error) {
	x := s.batches[id]
	if x == nil {
		return nil, fmt.Errorf("batch %s: %w", id, store.ErrBatchNotFound)
	}
	return x, nil
}

// Batch returns a copy of one batch.
func (s batches) Batch(ctx context.Context, id string) (*store.Batch, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x, err := s.batch(id)
	if err != nil {
		return nil, err
	}
	return x.copy(), nil
}

// ListBatches sorts all batches.
func (s batches) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []store.Batch
	for _, x := range s.batches {
		at := store.Cursor{At: x.record.CreatedAt, ID: x.record.ID}
		if after.ID == "" || compareCursors(store.SessionQuery{}, at, after) > 0 {
			found = append(found, cloneBatch(x.record))
		}
	}
	sorting.By(found, func(a, b *store.Batch) int {
		return compareCursors(store.SessionQuery{}, store.Cursor{At: a.CreatedAt, ID: a.ID}, store.Cursor{At: b.CreatedAt, ID: b.ID})
	})
	if limit <= 0 {
		limit = defaultLimit
	}
	return found[:min(limit, len(found))], nil
}

// BatchItems returns a page of a batch's items.
func (s batches) BatchItems(ctx context.Context, id string, q store.ItemQuery) ([]store.BatchItem, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	x := s.batches[id]
	if x == nil {
		return nil, nil
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	var found []store.BatchItem
	first, _ := x.find(q.After + 1)
	for _, item := range x.items[first:] {
		if len(found) == limit {
			break
		}
		if q.Outcome == "" || q.Outcome == item.Outcome {
			found = append(found, cloneItem(item))
		}
	}
	return found, nil
}

package api

import (
	"context"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// limitedBatches applies the limit to batches: a token with one sees those that it started.
type limitedBatches struct{ limits }

// StartBatch narrows the filter, and refuses items outside. The batch belongs to the token,
// so that no other token with a limit sees its items.
func (l limitedBatches) StartBatch(ctx context.Context, q engine.BatchRequest) (*engine.Batch, error) {
	if tokenLimit(ctx).IsZero() {
		return l.e.StartBatch(ctx, q)
	}
	if q.Filter != nil {
		filter, err := restrictQuery(ctx, *q.Filter)
		if err != nil {
			return nil, err
		}
		q.Filter = &filter
	}
	ids := make([]string, len(q.Items))
	for i := range q.Items {
		ids[i] = q.Items[i].Session
	}
	if err := l.checkSessions(ctx, ids); err != nil {
		return nil, err
	}
	q.By = tokenFrom(ctx).Name
	b, err := l.e.StartBatch(ctx, q)
	if err == nil && !ownBatch(ctx, b) {
		return nil, fmt.Errorf("%w: the key is that of another batch", engine.ErrKeyReused)
	}
	return b, err
}

// ownBatch reports whether a batch is that of the request's token, or the token has no limit.
// An older batch may be that of an earlier token of the same name.
func ownBatch(ctx context.Context, b *engine.Batch) bool {
	t := tokenFrom(ctx)
	return t == nil || t.Limit.IsZero() || b.By == t.Name && !b.CreatedAt.Before(t.CreatedAt)
}

func (l limitedBatches) Batch(ctx context.Context, id string) (*engine.Batch, error) {
	b, err := l.e.Batch(ctx, id)
	if err == nil && !ownBatch(ctx, b) {
		return nil, fmt.Errorf("batch %s: %w", id, engine.ErrBatchNotFound)
	}
	return b, err
}

// Batches reads on until the page is full: those of others are left out.
func (l limitedBatches) Batches(ctx context.Context, after engine.Cursor, limit int) ([]engine.Batch, error) {
	if tokenLimit(ctx).IsZero() {
		return l.e.Batches(ctx, after, limit)
	}
	var own []engine.Batch
	for {
		page, err := l.e.Batches(ctx, after, maxBatchPage)
		if err != nil {
			return nil, err
		}
		for i := range page {
			after = engine.Cursor{At: page[i].CreatedAt, ID: page[i].ID}
			if ownBatch(ctx, &page[i]) {
				if own = append(own, page[i]); len(own) == limit {
					return own, nil
				}
			}
		}
		if len(page) < maxBatchPage {
			return own, nil
		}
	}
}

// maxBatchPage is how many batches are read at once to find those of a token.
const maxBatchPage = 500

func (l limitedBatches) BatchItems(ctx context.Context, id string, q engine.ItemQuery) ([]engine.BatchItem, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.BatchItems(ctx, id, q)
}

func (l limitedBatches) StopBatch(ctx context.Context, id, message string) (*engine.Batch, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.StopBatch(ctx, id, message)
}

func (l limitedBatches) ContinueBatch(ctx context.Context, id string) (*engine.Batch, error) {
	if _, err := l.Batch(ctx, id); err != nil {
		return nil, err
	}
	return l.e.ContinueBatch(ctx, id)
}

func (l limitedBatches) DeleteBatch(ctx context.Context, id string) error {
	if _, err := l.Batch(ctx, id); err != nil {
		return err
	}
	return l.e.DeleteBatch(ctx, id)
}

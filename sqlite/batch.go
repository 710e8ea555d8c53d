package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batches are created, filled, leased and deleted with their items.
type batches struct{ *db }

// CreateBatch writes a batch in phase collecting, unless its key or id has one.
func (s batches) CreateBatch(ctx context.Context, b store.Batch) (store.Batch, bool, error) {
	var made store.Batch
	exists := false
	err := s.writer.write(ctx, "create batch", func(t *tx) (err error) {
		made, exists, err = t.createBatch(&b)
		return err
	})
	if err != nil {
		return store.Batch{}, false, err
	}
	return made, exists, nil
}

func (t *tx) createBatch(b *store.Batch) (store.Batch, bool, error) {
	var there store.Batch
	err := t.row("batch_of_key", func(row scanner) error { return scanBatch(row, &there) }, orNull(b.Key), b.ID)
	switch {
	case noRow(err):
	case err != nil:
		return there, false, err
	case there.Key != b.Key || there.BodyHash != b.BodyHash:
		return there, false, fmt.Errorf("batch %s, key %q: %w", there.ID, b.Key, store.ErrKeyReused)
	default:
		return there, true, nil
	}
	if _, err := t.exec("batch_create", b.ID, b.Action, text(b.Options), orNull(b.Key), b.BodyHash, b.By, t.now); err != nil {
		return there, false, err
	}
	made, err := t.batch(b.ID)
	return made, false, err
}

// AddBatchItems writes items in one transaction.
func (s batches) AddBatchItems(ctx context.Context, batch string, items []store.BatchItem) error {
	return s.writer.write(ctx, "add items to batch "+batch, func(t *tx) error {
		collecting, err := t.exec("batch_touch", batch, t.now)
		if err != nil {
			return err
		}
		if collecting == 0 {
			b, err := t.batch(batch)
			if err != nil {
				return err
			}
			return fmt.Errorf("batch %s: %w: it is %s, its items are complete", batch, store.ErrVersionMismatch, b.Phase)
		}
		for i := range items {
			item := &items[i]
			_, err := t.exec("batch_item_put", batch, item.N, item.Session, item.Step, item.Visit, item.Ask,
				item.Outcome, item.Error, text(item.Response), text(item.Would))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Batch returns one batch, or engine.ErrBatchNotFound.
func (s batches) Batch(ctx context.Context, id string) (*store.Batch, error) {
	var b store.Batch
	err := s.reader.row(ctx, "batch_read", func(row scanner) error { return scanBatch(row, &b) }, id)
	if noRow(err) {
		return nil, fmt.Errorf("batch %s: %w", id, store.ErrBatchNotFound)
	}
	if err != nil {
		return nil, fault("read batch "+id, err)
	}
	return &b, nil
}

// batch reads a batch under the write lock; engine.ErrBatchNotFound when it is not there.
func (t *tx) batch(id string) (store.Batch, error) {
	var b store.Batch
	err := t.row("batch_read", func(row scanner) error { return scanBatch(row, &b) }, id)
	if noRow(err) {
		err = fmt.Errorf("batch %s: %w", id, store.ErrBatchNotFound)
	}
	return b, err
}

// ListBatches returns a page of batches, newest first.
func (s batches) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	if limit <= 0 {
		limit = defaultPage
	}
	before := int64(math.MaxInt64)
	if after.ID != "" {
		before = after.At.UnixMicro()
	}
	var found []store.Batch
	err := s.reader.each(ctx, "batch_list", func(row scanner) error {
		var b store.Batch
		err := scanBatch(row, &b)
		found = append(found, b)
		return err
	}, before, after.ID, limit)
	if err != nil {
		return nil, fault("list batches", err)
	}
	return found, nil
}

// BatchItems returns a page of a batch's items.
func (s batches) BatchItems(ctx context.Context, batch string, q store.ItemQuery) ([]store.BatchItem, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	name, args := "batch_items", []any{batch, q.After, limit, q.Outcome}
	if q.Outcome == store.ItemOpen {
		name, args = "batch_items_open", args[:3]
	}
	var found []store.BatchItem
	err := s.reader.each(ctx, name, func(row scanner) error {
		var item store.BatchItem
		err := scanItem(row, &item)
		found = append(found, item)
		return err
	}, args...)
	if err != nil {
		return nil, fault("read items of batch "+batch, err)
	}
	return found, nil
}

// scanBatch reads the columns that all queries of a batch name.
func scanBatch(row scanner, b *store.Batch) error {
	var key sql.NullString
	var created, updated int64
	var until, due sql.NullInt64
	err := row.Scan(&b.ID, &b.Action, &b.Phase, &b.Total, &b.Done, &b.Failed, &b.Forgiven, &b.Reached, &b.Message, &key, &b.BodyHash, &b.By,
		&created, &updated, &b.Lease, &b.LeaseOwner, &until, &due, &b.Options)
	if err != nil {
		return err
	}
	b.Key = key.String
	b.CreatedAt, b.UpdatedAt = time.UnixMicro(created).UTC(), time.UnixMicro(updated).UTC()
	b.LeaseUntil, b.DueAt = fromMicros(until), fromMicros(due)
	return nil
}

func scanItem(row scanner, i *store.BatchItem) error {
	var response, would []byte
	err := row.Scan(&i.Batch, &i.N, &i.Session, &i.Step, &i.Visit, &i.Ask, &i.Outcome, &i.Error, &response, &would)
	i.Response, i.Would = response, would
	return err
}

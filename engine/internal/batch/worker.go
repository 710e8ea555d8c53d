package batch

import (
	"context"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A worker works on one batch while it holds the batch's lease: it reads the items in pages, acts
// on each session, and saves the outcomes. Each save extends the lease. It ends when all items
// have an outcome, when the batch is stopped, or when another engine has taken the lease.
//
// An item may be done and its outcome not saved when the process dies. The next worker then does
// it again under the same idempotency key, so it takes effect once.
type worker struct {
	o       *Operations
	b       store.Batch
	options store.BatchOptions
	// unsaved are items whose outcome counts in b and may not be in the store yet: they
	// go with every save until one has surely succeeded.
	unsaved []store.BatchItem
	saved   time.Time // when the last save was asked for
	began   time.Time // work on items, for the rate
	worked  int64     // items since then
}

// errBatchTaken ends a worker whose batch was stopped or taken over.
var errBatchTaken = errors.New("the batch was stopped or taken over")

// save writes what is done so far and keeps the lease.
func (w *worker) save(ctx context.Context, items []store.BatchItem) error {
	w.unsaved = append(w.unsaved, items...)
	w.saved = time.Now()
	ok, err := retry.Do(ctx, func() (bool, error) {
		return w.o.opt.Store.SaveBatch(ctx, w.b, w.unsaved, w.o.opt.LeaseFor, false)
	})
	if err != nil {
		return err
	}
	if !ok {
		return errBatchTaken
	}
	w.unsaved = nil
	return nil
}

// end writes the last of a batch and gives its lease up.
func (w *worker) end(ctx context.Context, phase string) error {
	w.b.Phase, w.b.DueAt = phase, time.Time{}
	_, err := retry.Do(ctx, func() (bool, error) { return w.o.opt.Store.SaveBatch(ctx, w.b, w.unsaved, 0, true) })
	return err
}

// items reads the next page. What stands behind the batch's total was left there by a call
// that began to write it, before another wrote fewer.
func (w *worker) items(ctx context.Context, after int64) ([]store.BatchItem, error) {
	items, err := retry.Do(ctx, func() ([]store.BatchItem, error) {
		return w.o.opt.Store.BatchItems(ctx, w.b.ID, store.ItemQuery{After: after, Limit: pageSize})
	})
	return withinTotal(items, w.b.Total), err
}

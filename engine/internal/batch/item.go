package batch

import (
	"context"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// doPage does the open items of a page side by side, those of one session one after
// another. With an error it returns what was done before it.
func (w *worker) doPage(ctx context.Context, page []store.BatchItem) ([]store.BatchItem, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	letGo := w.keepLease(ctx, cancel)
	defer letGo()
	var all sync.WaitGroup
	var mu sync.Mutex
	done := make([]store.BatchItem, 0, len(page))
	for _, items := range bySession(page) {
		all.Go(func() {
			for _, item := range items {
				_, err := retry.Do(ctx, func() (struct{}, error) { return struct{}{}, w.do(ctx, item) })
				if err != nil && ctx.Err() != nil {
					return
				}
				mu.Lock()
				w.settle(item, err)
				done = append(done, *item)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return done, context.Cause(ctx)
}

// bySession groups the open items of a page.
func bySession(page []store.BatchItem) map[string][]*store.BatchItem {
	groups := map[string][]*store.BatchItem{}
	for i := range page {
		if item := &page[i]; item.Outcome == store.ItemOpen {
			groups[item.Session] = append(groups[item.Session], item)
		}
	}
	return groups
}

// keepLease extends the batch's lease while a page takes long, and ends the work on it by
// cancel when the batch was stopped or taken over. It writes the counts as they were before
// the page. The function returned waits until nothing more will be written.
func (w *worker) keepLease(ctx context.Context, cancel context.CancelCauseFunc) func() {
	before, unsaved := w.b, w.unsaved
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(w.o.opt.LeaseFor / 3)
		defer t.Stop()
		for {
			select {
			case <-over:
				return
			case <-t.C:
			}
			ok, err := w.o.opt.Store.SaveBatch(ctx, before, unsaved, w.o.opt.LeaseFor, false)
			if err == nil && !ok {
				cancel(errBatchTaken)
				return
			}
		}
	}()
	return func() { close(over); <-ended }
}

// settle counts what became of an item.
func (w *worker) settle(item *store.BatchItem, err error) {
	if err != nil {
		item.Outcome, item.Error = store.ItemFailed, err.Error()
		w.b.Failed++
		return
	}
	item.Outcome = store.ItemDone
	w.b.Done++
}

// do does one item, under a key of its own, so that doing it again after a crash counts
// once.
func (w *worker) do(ctx context.Context, item *store.BatchItem) error {
	job := &Job{Batch: &w.b, Options: &w.options, Item: item}
	if !w.options.DryRun {
		return w.o.opt.Actions.Do(ctx, job)
	}
	would, err := w.o.opt.Actions.Forecast(ctx, job)
	item.Would = would
	return err
}

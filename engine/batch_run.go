package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// batchesAtOnce is how many batches one engine works on: a slow one, by its rate, does not
// keep the others waiting.
const batchesAtOnce = 4

// batchLoop takes batches that are due and works on them side by side.
func (e *Engine) batchLoop(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, batchesAtOnce)
	for {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		b, err := e.store.ClaimBatch(ctx, *e.freshLease())
		if err == nil && b != nil {
			all.Go(func() {
				defer func() { <-room }()
				if err := e.workBatch(ctx, b); err != nil && ctx.Err() == nil {
					e.o.Log.Warn("batch interrupted; it goes on when its lease has ended", logBatch, b.ID, logError, err)
				}
			})
			continue
		}
		<-room
		if !e.nextBatch(ctx) {
			return
		}
	}
}

// nextBatch waits until a batch may be due; false when the engine stops.
func (e *Engine) nextBatch(ctx context.Context) bool {
	t := time.NewTimer(e.o.PollEvery)
	defer t.Stop()
	select {
	case <-t.C:
	case <-e.batchWake:
	case <-ctx.Done():
		return false
	}
	return true
}

func (e *Engine) wakeBatches() {
	select {
	case e.batchWake <- struct{}{}:
	default:
	}
}

// A batchWorker holds the lease of one batch.
type batchWorker struct {
	e       *Engine
	b       Batch
	options BatchOptions
	// unsaved are items whose outcome counts in b and may not be in the store yet: they
	// go with every save until one has surely succeeded.
	unsaved []BatchItem
	saved   time.Time // when the last save was asked for
	began   time.Time // work on items, for the rate
	worked  int64     // items since then
}

// errBatchTaken ends a worker whose batch was stopped or taken over.
var errBatchTaken = errors.New("the batch was stopped or taken over")

func (e *Engine) workBatch(ctx context.Context, b *Batch) error {
	w := &batchWorker{e: e, b: *b, saved: time.Now()}
	if err := json.Unmarshal(b.Options, &w.options); err != nil {
		w.b.Message = "options: " + err.Error()
		return w.end(ctx, BatchStopped)
	}
	if err := w.run(ctx); err != nil {
		return w.letGo(ctx, err)
	}
	return nil
}

func (w *batchWorker) run(ctx context.Context) error {
	if w.b.Phase == BatchPinning {
		if err := w.pin(ctx); err != nil {
			return err
		}
		w.b.Phase, w.b.Reached = BatchRunning, 0
		if err := w.save(ctx, nil); err != nil {
			return err
		}
	}
	return w.work(ctx)
}

// letGo gives the lease back at a clean stop, so that another engine goes on at once.
func (w *batchWorker) letGo(ctx context.Context, cause error) error {
	if errors.Is(cause, errBatchTaken) {
		return nil
	}
	if ctx.Err() == nil {
		return cause
	}
	late, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), 2*time.Second, errStopped)
	defer cancel()
	w.b.DueAt = time.Now()
	if now, err := w.e.store.Now(late); err == nil {
		w.b.DueAt = now
	}
	_, err := w.e.store.SaveBatch(late, w.b, w.unsaved, 0, true)
	return err
}

// save writes what is done so far and keeps the lease.
func (w *batchWorker) save(ctx context.Context, items []BatchItem) error {
	w.unsaved = append(w.unsaved, items...)
	w.saved = time.Now()
	ok, err := insist(ctx, func() (bool, error) {
		return w.e.store.SaveBatch(ctx, w.b, w.unsaved, w.e.o.LeaseFor, false)
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
func (w *batchWorker) end(ctx context.Context, phase string) error {
	w.b.Phase, w.b.DueAt = phase, time.Time{}
	_, err := insist(ctx, func() (bool, error) { return w.e.store.SaveBatch(ctx, w.b, w.unsaved, 0, true) })
	return err
}

// items reads the next page. What stands behind the batch's total was left there by a call
// that began to write it, before another wrote fewer.
func (w *batchWorker) items(ctx context.Context, after int64) ([]BatchItem, error) {
	items, err := insist(ctx, func() ([]BatchItem, error) {
		return w.e.store.BatchItems(ctx, w.b.ID, ItemQuery{After: after, Limit: batchPage})
	})
	return withinTotal(items, w.b.Total), err
}

// withinTotal cuts a page of items, which are in order, behind the total.
func withinTotal(items []BatchItem, total int64) []BatchItem {
	for i := range items {
		if items[i].N > total {
			return items[:i]
		}
	}
	return items
}

// work does the items in order, a page at a time, and ends the batch.
func (w *batchWorker) work(ctx context.Context) error {
	w.began = time.Now()
	for {
		if w.tooManyFailed() {
			w.b.Message = fmt.Sprintf("stopped after %d failures", w.b.Failed-w.b.Forgiven)
			return w.end(ctx, BatchStopped)
		}
		page, err := w.items(ctx, w.b.Reached)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return w.end(ctx, BatchComplete)
		}
		page = page[:min(len(page), w.pageSize())]
		if time.Since(w.saved) > stoppedWithin { // a stop must not be met with a page of answers
			if err := w.save(ctx, nil); err != nil {
				return err
			}
		}
		done, err := w.doPage(ctx, page)
		if err != nil {
			w.unsaved = append(w.unsaved, done...)
			return err
		}
		w.b.Reached = page[len(page)-1].N
		if err := w.save(ctx, done); err != nil {
			return err
		}
		if err := w.keepRate(ctx, len(page)); err != nil {
			return err
		}
	}
}

// stoppedWithin is how old the last save may be when work on a page begins: so soon after
// a stop nothing more is begun.
const stoppedWithin = 200 * time.Millisecond

func (w *batchWorker) tooManyFailed() bool {
	n := w.options.StopAfterFailures
	return n > 0 && w.b.Failed-w.b.Forgiven >= int64(n)
}

// pageSize is how many items may be in flight: fewer when failures have to stop the batch
// soon or a rate is set.
func (w *batchWorker) pageSize() int {
	size := batchPage
	if n := w.options.StopAfterFailures; n > 0 {
		size = min(size, n-int(w.b.Failed-w.b.Forgiven))
	}
	if w.options.Rate > 0 {
		size = min(size, int(w.options.Rate/4))
	}
	return max(1, size)
}

// keepRate waits until the items done so far were due.
func (w *batchWorker) keepRate(ctx context.Context, n int) error {
	w.worked += int64(n)
	if w.options.Rate <= 0 {
		return nil
	}
	due := w.began.Add(time.Duration(float64(w.worked) / w.options.Rate * float64(time.Second)))
	for {
		wait := min(time.Until(due), w.e.o.LeaseFor/3)
		if wait <= 0 {
			return nil
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		if time.Until(due) > 0 {
			if err := w.save(ctx, nil); err != nil { // keeps the lease
				return err
			}
		}
	}
}

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// batchLoop works on batches that are due, one after another.
func (e *Engine) batchLoop(ctx context.Context) {
	for {
		b, err := e.store.ClaimBatch(ctx, *e.freshLease())
		if err == nil && b != nil {
			if err := e.workBatch(ctx, b); err != nil && ctx.Err() == nil {
				e.o.Log.Warn("batch interrupted; it goes on when its lease has ended", "batch", b.ID, logError, err)
			}
			continue
		}
		t := time.NewTimer(e.o.PollEvery)
		select {
		case <-t.C:
		case <-e.batchWake:
		case <-ctx.Done():
			t.Stop()
			return
		}
		t.Stop()
	}
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
	began   time.Time // of this worker, for the rate
	worked  int64     // items of this worker
}

// errBatchTaken ends a worker whose batch was stopped or taken over.
var errBatchTaken = errors.New("the batch was stopped or taken over")

func (e *Engine) workBatch(ctx context.Context, b *Batch) error {
	w := &batchWorker{e: e, b: *b, began: time.Now()}
	if err := json.Unmarshal(b.Options, &w.options); err != nil {
		w.b.Message = "options: " + err.Error()
		return w.end(ctx, BatchStopped)
	}
	if w.b.Phase == BatchPinning {
		if err := w.pin(ctx); err != nil {
			return w.letGo(ctx, err)
		}
		w.b.Phase, w.b.Reached = BatchRunning, 0
		if err := w.save(ctx, nil); err != nil {
			return w.letGo(ctx, err)
		}
	}
	if err := w.work(ctx); err != nil {
		return w.letGo(ctx, err)
	}
	return nil
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
	_, err := w.e.store.SaveBatch(late, w.b, nil, 0, true)
	return err
}

func (w *batchWorker) save(ctx context.Context, items []BatchItem) error {
	for attempt := 0; ; attempt++ {
		ok, err := w.e.store.SaveBatch(ctx, w.b, items, w.e.o.LeaseFor, false)
		switch {
		case err == nil && !ok:
			return errBatchTaken
		case err == nil || !transient(err):
			return err
		}
		if cause := sleep(ctx, backoff(attempt)); cause != nil {
			return cause
		}
	}
}

// end writes the last of a batch and gives its lease up.
func (w *batchWorker) end(ctx context.Context, phase string) error {
	w.b.Phase, w.b.DueAt = phase, time.Time{}
	for attempt := 0; ; attempt++ {
		_, err := w.e.store.SaveBatch(ctx, w.b, nil, 0, true)
		if err == nil || !transient(err) {
			return err
		}
		if cause := sleep(ctx, backoff(attempt)); cause != nil {
			return cause
		}
	}
}

func (w *batchWorker) items(ctx context.Context, after int64) ([]BatchItem, error) {
	for attempt := 0; ; attempt++ {
		items, err := w.e.store.BatchItems(ctx, w.b.ID, ItemQuery{After: after, Limit: batchPage})
		if err == nil || !transient(err) {
			return items, err
		}
		if cause := sleep(ctx, backoff(attempt)); cause != nil {
			return nil, cause
		}
	}
}

// work does the items in order, a page at a time, and ends the batch.
func (w *batchWorker) work(ctx context.Context) error {
	for {
		items, err := w.items(ctx, w.b.Reached)
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return w.end(ctx, BatchComplete)
		}
		page := items
		if n := w.options.StopAfterFailures; n > 0 || w.options.Rate > 0 {
			page = items[:min(len(items), w.smallPage())]
		}
		done, err := w.doPage(ctx, page)
		if err != nil {
			return err
		}
		w.b.Reached = page[len(page)-1].N
		if err := w.save(ctx, done); err != nil {
			return err
		}
		if n := w.options.StopAfterFailures; n > 0 && w.b.Failed >= int64(n) {
			w.b.Message = fmt.Sprintf("stopped after %d failures", w.b.Failed)
			return w.end(ctx, BatchStopped)
		}
		if err := w.keepRate(ctx, len(page)); err != nil {
			return err
		}
	}
}

// smallPage is how many items may be in flight when a failure has to stop the batch soon
// or a rate is set.
func (w *batchWorker) smallPage() int {
	if n := w.options.StopAfterFailures; n > 0 {
		return max(1, min(n-int(w.b.Failed), batchPage))
	}
	return max(1, min(int(w.options.Rate/4), batchPage))
}

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

// doPage does open items side by side, those of one session one after another.
func (w *batchWorker) doPage(ctx context.Context, page []BatchItem) ([]BatchItem, error) {
	bySession := map[string][]*BatchItem{}
	var order []string
	done := make([]BatchItem, 0, len(page))
	for i := range page {
		item := &page[i]
		if item.Outcome != ItemOpen {
			continue
		}
		if bySession[item.Session] == nil {
			order = append(order, item.Session)
		}
		bySession[item.Session] = append(bySession[item.Session], item)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for _, session := range order {
		all.Go(func() {
			for _, item := range bySession[session] {
				err := w.do(ctx, item)
				mu.Lock()
				if err != nil && (transient(err) || ctx.Err() != nil) {
					failed = err
					mu.Unlock()
					return
				}
				w.settle(item, err)
				done = append(done, *item)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return done, failed
}

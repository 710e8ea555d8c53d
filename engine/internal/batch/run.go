package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// batchesAtOnce is how many batches one engine works on: a slow one, by its rate, does not
// keep the others waiting.
const batchesAtOnce = 4

// Run takes batches that are due and works on them side by side.
func Run(ctx context.Context, o *Operations) {
	var all sync.WaitGroup
	defer all.Wait()
	room := make(chan struct{}, batchesAtOnce)
	for {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
			return
		}
		b, err := o.opt.Store.ClaimBatch(ctx, o.opt.Lease())
		if err == nil && b != nil {
			all.Go(func() {
				defer func() { <-room }()
				if err := o.workBatch(ctx, b); err != nil && ctx.Err() == nil {
					o.opt.Log.Warn("batch interrupted; it goes on when its lease has ended", logBatch, b.ID, logError, err)
				}
			})
			continue
		}
		<-room
		if !o.nextBatch(ctx) {
			return
		}
	}
}

// nextBatch waits until a batch may be due; false when the engine stops.
func (o *Operations) nextBatch(ctx context.Context) bool {
	t := time.NewTimer(o.opt.PollEvery)
	defer t.Stop()
	select {
	case <-t.C:
	case <-o.wake:
	case <-ctx.Done():
		return false
	}
	return true
}

func (o *Operations) workBatch(ctx context.Context, b *store.Batch) error {
	w := &worker{o: o, b: *b, saved: time.Now()}
	if err := json.Unmarshal(b.Options, &w.options); err != nil {
		w.b.Message = "options: " + err.Error()
		return w.end(ctx, store.BatchStopped)
	}
	if err := w.run(ctx); err != nil {
		return w.letGo(ctx, err)
	}
	return nil
}

func (w *worker) run(ctx context.Context) error {
	if w.b.Phase == store.BatchPinning {
		if err := w.pin(ctx); err != nil {
			return err
		}
		w.b.Phase, w.b.Reached = store.BatchRunning, 0
		if err := w.save(ctx, nil); err != nil {
			return err
		}
	}
	return w.work(ctx)
}

// letGo gives the lease back at a clean stop, so that another engine goes on at once.
func (w *worker) letGo(ctx context.Context, cause error) error {
	if errors.Is(cause, errBatchTaken) {
		return nil
	}
	if ctx.Err() == nil {
		return cause
	}
	late, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), 2*time.Second, errStopped)
	defer cancel()
	w.b.DueAt = time.Now()
	if now, err := w.o.opt.Store.Now(late); err == nil {
		w.b.DueAt = now
	}
	_, err := w.o.opt.Store.SaveBatch(late, w.b, w.unsaved, 0, true)
	return err
}

// work does the items in order, a page at a time, and ends the batch.
func (w *worker) work(ctx context.Context) error {
	w.began = time.Now()
	for {
		if w.tooManyFailed() {
			w.b.Message = fmt.Sprintf("stopped after %d failures", w.b.Failed-w.b.Forgiven)
			return w.end(ctx, store.BatchStopped)
		}
		page, err := w.items(ctx, w.b.Reached)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return w.end(ctx, store.BatchComplete)
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

func (w *worker) tooManyFailed() bool {
	n := w.options.StopAfterFailures
	return n > 0 && w.b.Failed-w.b.Forgiven >= int64(n)
}

// pageSize is how many items may be in flight: fewer when failures have to stop the batch
// soon or a rate is set.
func (w *worker) pageSize() int {
	size := pageSize
	if n := w.options.StopAfterFailures; n > 0 {
		size = min(size, n-int(w.b.Failed-w.b.Forgiven))
	}
	if w.options.Rate > 0 {
		size = min(size, int(w.options.Rate/4))
	}
	return max(1, size)
}

// keepRate waits until the items done so far were due.
func (w *worker) keepRate(ctx context.Context, n int) error {
	w.worked += int64(n)
	if w.options.Rate <= 0 {
		return nil
	}
	due := w.began.Add(time.Duration(float64(w.worked) / w.options.Rate * float64(time.Second)))
	for {
		wait := min(time.Until(due), w.o.opt.LeaseFor/3)
		if wait <= 0 {
			return nil
		}
		if err := sleep.For(ctx, wait); err != nil {
			return err
		}
		if time.Until(due) > 0 {
			if err := w.save(ctx, nil); err != nil { // keeps the lease
				return err
			}
		}
	}
}

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// doPage does the open items of a page side by side, those of one session one after
// another. With an error it returns what was done before it.
func (w *batchWorker) doPage(ctx context.Context, page []BatchItem) ([]BatchItem, error) {
	ctx, cancel := context.WithCancelCause(withoutHaste(ctx))
	defer cancel(nil)
	letGo := w.keepLease(ctx, cancel)
	defer letGo()
	var all sync.WaitGroup
	var mu sync.Mutex
	done := make([]BatchItem, 0, len(page))
	for _, items := range bySession(page) {
		all.Go(func() {
			for _, item := range items {
				_, err := insist(ctx, func() (struct{}, error) { return struct{}{}, w.do(ctx, item) })
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
func bySession(page []BatchItem) map[string][]*BatchItem {
	groups := map[string][]*BatchItem{}
	for i := range page {
		if item := &page[i]; item.Outcome == ItemOpen {
			groups[item.Session] = append(groups[item.Session], item)
		}
	}
	return groups
}

// keepLease extends the batch's lease while a page takes long, and ends the work on it by
// cancel when the batch was stopped or taken over. It writes the counts as they were before
// the page. The function returned waits until nothing more will be written.
func (w *batchWorker) keepLease(ctx context.Context, cancel context.CancelCauseFunc) func() {
	before, unsaved := w.b, w.unsaved
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(w.e.o.LeaseFor / 3)
		defer t.Stop()
		for {
			select {
			case <-over:
				return
			case <-t.C:
			}
			ok, err := w.e.store.SaveBatch(ctx, before, unsaved, w.e.o.LeaseFor, false)
			if err == nil && !ok {
				cancel(errBatchTaken)
				return
			}
		}
	}()
	return func() { close(over); <-ended }
}

// settle counts what became of an item.
func (w *batchWorker) settle(item *BatchItem, err error) {
	if err != nil {
		item.Outcome, item.Error = ItemFailed, err.Error()
		w.b.Failed++
		return
	}
	item.Outcome = ItemDone
	w.b.Done++
}

// do does one item, under a key of its own, so that doing it again after a crash counts
// once.
func (w *batchWorker) do(ctx context.Context, item *BatchItem) error {
	if w.options.DryRun {
		return w.forecast(ctx, item)
	}
	o := &w.options
	switch w.b.Action {
	case RequestAnswer:
		if n := len(w.response(item)); n > w.e.o.MaxOutput {
			return detail(ErrTooLarge, "response has %d bytes, at most %d are taken", n, w.e.o.MaxOutput)
		}
		_, err := w.e.accept(ctx, &acceptance{q: w.answer(item)})
		return err
	case ActionDelete:
		err := w.e.DeleteSession(ctx, item.Session, o.Cancel)
		if errors.Is(err, ErrSessionNotFound) {
			return nil // it is gone, by this item before a restart or by somebody else
		}
		return err
	}
	_, err := w.e.Act(ctx, Action{Session: item.Session, Kind: w.b.Action, Step: w.step(item), To: o.To, Name: o.Name,
		Body: w.signalBody(item), Reason: o.Reason, NewKey: o.NewKey, Key: w.key(item), By: w.b.By})
	return err
}

// key is the item's idempotency key: batch/n.
func (w *batchWorker) key(item *BatchItem) string { return fmt.Sprintf("%s/%d", w.b.ID, item.N) }

// answer is the item's answer to the question it was pinned to.
func (w *batchWorker) answer(item *BatchItem) AnswerRequest {
	return AnswerRequest{Session: item.Session, Step: item.Step, Visit: item.Visit, Ask: item.Ask,
		Response: w.response(item), Key: w.key(item), By: w.b.By}
}

func (w *batchWorker) step(item *BatchItem) string {
	if item.Step != "" {
		return item.Step
	}
	return w.options.Step
}

func (w *batchWorker) response(item *BatchItem) json.RawMessage {
	if len(item.Response) > 0 {
		return item.Response
	}
	return w.options.Response
}

func (w *batchWorker) signalBody(item *BatchItem) json.RawMessage {
	if w.b.Action != RequestSignal {
		return nil
	}
	return w.response(item)
}

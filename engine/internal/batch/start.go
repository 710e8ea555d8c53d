package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/internal/sleep"
)

// StartBatch writes a batch with all its items and returns when they are durable; the engine
// then processes them. If an earlier call with the same key wrote the batch only partly,
// StartBatch completes it, once no other call is writing it. Batch.Replayed reports whether an
// earlier call with the key had already started the batch. Errors: ErrBadRequest, ErrKeyReused.
func (o *Operations) StartBatch(ctx context.Context, q store.BatchRequest) (*store.Batch, error) {
	if err := checkBatch(&q); err != nil {
		return nil, err
	}
	made, mine, err := o.createBatch(ctx, &q)
	if err != nil {
		return nil, err
	}
	if made.Phase == store.BatchCollecting && !mine {
		if made, err = o.leftBehind(ctx, made); err != nil {
			return nil, err
		}
	}
	if made.Phase != store.BatchCollecting {
		made.Replayed = true
		return made, nil
	}
	if made.Total, err = o.collect(ctx, made.ID, &q); err == nil {
		err = o.ready(ctx, made)
	}
	if errors.Is(err, store.ErrVersionMismatch) { // another call with this key was faster, or it was stopped
		if made, err = o.opt.Store.Batch(ctx, made.ID); made != nil {
			made.Replayed = !mine
		}
		return made, err
	}
	if err != nil {
		return nil, err
	}
	o.wakeUp()
	return made, nil
}

// createBatch makes the batch, or finds the one of the request's key; mine distinguishes the two.
func (o *Operations) createBatch(ctx context.Context, q *store.BatchRequest) (*store.Batch, bool, error) {
	options, err := jsontext.Marshal(q.Options)
	if err != nil {
		return nil, false, store.Detailf(store.ErrBadRequest, "%v", err)
	}
	fresh := store.Batch{ID: o.opt.NewID(), Action: q.Action, Options: options, Phase: store.BatchCollecting, Key: q.Key, BodyHash: batchHash(q), By: q.By}
	made, err := retry.Do(ctx, func() (store.Batch, error) {
		made, _, err := o.opt.Store.CreateBatch(ctx, fresh)
		return made, err
	})
	if errors.Is(err, store.ErrKeyReused) {
		return nil, false, store.Detailf(store.ErrKeyReused, "idempotency key %q started another batch", q.Key)
	}
	return &made, made.ID == fresh.ID, err
}

// leftBehind waits while another call writes the items of a batch: as long as a lease
// after its last page, then it has died. Two at once could mix what a filter found at
// different moments.
func (o *Operations) leftBehind(ctx context.Context, b *store.Batch) (*store.Batch, error) {
	for attempt := 0; b.Phase == store.BatchCollecting; attempt++ {
		now, err := o.opt.Store.Now(ctx)
		if err != nil {
			return nil, err
		}
		left := o.opt.LeaseFor - now.Sub(b.UpdatedAt)
		if left <= 0 {
			return b, nil
		}
		if err := sleep.For(ctx, min(left, retry.Backoff(attempt))); err != nil {
			return nil, err
		}
		if b, err = o.opt.Store.Batch(ctx, b.ID); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ready makes a batch whose items are all there due.
func (o *Operations) ready(ctx context.Context, b *store.Batch) error {
	next := *b
	next.Phase = store.BatchPinning
	if !pinned(b.Action) {
		next.Phase = store.BatchRunning
	}
	now, err := retry.Do(ctx, func() (time.Time, error) { return o.opt.Store.Now(ctx) })
	if err != nil {
		return err
	}
	next.DueAt = now
	if b.Total == 0 {
		next.Phase, next.DueAt = store.BatchComplete, time.Time{}
	}
	ok, err := retry.Do(ctx, func() (bool, error) { return o.opt.Store.SaveBatch(ctx, next, nil, 0, true) })
	switch {
	case err != nil:
		return err
	case !ok:
		return store.ErrVersionMismatch
	}
	*b = next
	return nil
}

// pinned reports whether the items of an action are bound to one question each.
func pinned(action string) bool { return action == store.RequestAnswer }

// batchActions are what a batch may do.
var batchActions = map[string]bool{
	store.RequestAnswer: true, store.RequestPause: true, store.RequestResume: true, store.RequestCancel: true, store.RequestRetry: true,
	store.RequestAdvance: true, store.RequestMove: true, store.RequestReask: true, store.RequestRollback: true, store.RequestSignal: true, store.ActionDelete: true,
}

func checkBatch(q *store.BatchRequest) error {
	fault := func(pointer, format string, args ...any) error {
		return &store.DetailError{Err: store.ErrBadRequest, Faults: []graph.Fault{{Pointer: pointer, Message: fmt.Sprintf(format, args...)}}}
	}
	if !batchActions[q.Action] {
		return fault("/action", "%q is nothing a batch can do; want one of %v", q.Action, sortedKeys(batchActions))
	}
	if (q.Filter == nil) == (len(q.Items) == 0) {
		return fault("", "want a filter or items, one of the two")
	}
	switch o := &q.Options; {
	case q.Action == store.RequestMove && o.To == "":
		return fault("/to", "is missing: to which step?")
	case q.Action == store.RequestAdvance && o.Step == "" && q.Filter != nil:
		return fault("/step", "is missing: which step's paths shall be evaluated again?")
	case q.Action == store.RequestRollback && o.Step == "" && q.Filter != nil:
		return fault("/step", "is missing: to before which step's visit?")
	case q.Action == store.RequestSignal && o.Name == "":
		return fault("/name", "is missing")
	case o.Rate < 0 || o.First < 0 || o.StopAfterFailures < 0 || o.Visit < 0:
		return fault("", "rate, first, visit and stop_after_failures cannot be negative")
	}
	for i := range q.Items {
		item := &q.Items[i]
		if item.Session == "" {
			return fault(fmt.Sprintf("/items/%d/session", i), "is missing")
		}
		if q.Action == store.RequestAnswer && len(item.Response) == 0 && len(q.Options.Response) == 0 {
			return fault(fmt.Sprintf("/items/%d/response", i), "is missing")
		}
	}
	if q.Action == store.RequestAnswer && q.Filter != nil && len(q.Options.Response) == 0 {
		return fault("/response", "is missing: what shall all of them be answered?")
	}
	return nil
}

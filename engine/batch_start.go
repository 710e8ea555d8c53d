package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A BatchRequest asks for one action on many sessions: those of a filter, or those named.
type BatchRequest struct {
	Action  string // answer, resume, pause, cancel, retry, advance, move, reask, signal, delete
	Filter  *SessionQuery
	Items   []BatchItem // Session, Step and Response count
	Options BatchOptions
	Key     string
	By      string
}

// BatchOptions are how a batch works.
type BatchOptions struct {
	Response json.RawMessage `json:"response,omitempty"` // answer: of items that carry none
	Step     string          `json:"step,omitempty"`     // the step acted on; of items that name none
	To       string          `json:"to,omitempty"`       // move
	Name     string          `json:"name,omitempty"`     // signal
	Reason   string          `json:"reason,omitempty"`
	NewKey   bool            `json:"new_key,omitempty"` // retry
	Cancel   bool            `json:"cancel,omitempty"`  // delete: end what still runs
	DryRun   bool            `json:"dry_run,omitempty"`
	// Rate bounds the items a second; 0 is as fast as they go.
	Rate float64 `json:"rate,omitempty"`
	// First takes only so many items; 0 is all.
	First int `json:"first,omitempty"`
	// StopAfterFailures ends the batch after so many failed items; 0 is never.
	StopAfterFailures int `json:"stop_after_failures,omitempty"`
}

// batchPage is how many items are pinned or worked on together.
const batchPage = 200

// StartBatch writes a batch with all its items and returns when they are durable; work on
// them begins then. With the key of a batch that was begun and not acknowledged it goes
// on writing that one, once nobody else does. The bool tells that the key had started the
// batch before. Errors: ErrBadRequest, ErrKeyReused.
func (e *Engine) StartBatch(ctx context.Context, q BatchRequest) (*Batch, bool, error) {
	if err := checkBatch(&q); err != nil {
		return nil, false, err
	}
	made, mine, err := e.createBatch(ctx, &q)
	if err != nil {
		return nil, false, err
	}
	if made.Phase == BatchCollecting && !mine {
		if made, err = e.leftBehind(ctx, made); err != nil {
			return nil, false, err
		}
	}
	if made.Phase != BatchCollecting {
		return made, true, nil
	}
	if made.Total, err = e.collect(ctx, made.ID, &q); err == nil {
		err = e.ready(ctx, made)
	}
	if errors.Is(err, ErrVersionMismatch) { // another call with this key was faster, or it was stopped
		made, err = e.store.Batch(ctx, made.ID)
		return made, !mine, err
	}
	if err != nil {
		return nil, false, err
	}
	e.wakeBatches()
	return made, false, nil
}

// createBatch makes the batch, or finds the one of the request's key; mine tells them apart.
func (e *Engine) createBatch(ctx context.Context, q *BatchRequest) (*Batch, bool, error) {
	options, err := jsontext.Marshal(q.Options)
	if err != nil {
		return nil, false, detail(ErrBadRequest, "%v", err)
	}
	fresh := Batch{ID: e.o.NewID(), Action: q.Action, Options: options, Phase: BatchCollecting, Key: q.Key, BodyHash: batchHash(q), By: q.By}
	made, err := insist(ctx, func() (Batch, error) {
		made, _, err := e.store.CreateBatch(ctx, fresh)
		return made, err
	})
	if isSentinel(err, ErrKeyReused) {
		return nil, false, detail(ErrKeyReused, "idempotency key %q started another batch", q.Key)
	}
	return &made, made.ID == fresh.ID, err
}

// leftBehind waits while another call writes the items of a batch: as long as a lease
// after its last page, then it has died. Two at once could mix what a filter found at
// different moments.
func (e *Engine) leftBehind(ctx context.Context, b *Batch) (*Batch, error) {
	for attempt := 0; b.Phase == BatchCollecting; attempt++ {
		now, err := e.store.Now(ctx)
		if err != nil {
			return nil, err
		}
		left := e.o.LeaseFor - now.Sub(b.UpdatedAt)
		if left <= 0 {
			return b, nil
		}
		if err := sleep(ctx, min(left, backoff(attempt))); err != nil {
			return nil, err
		}
		if b, err = e.store.Batch(ctx, b.ID); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// ready makes a batch whose items are all there due.
func (e *Engine) ready(ctx context.Context, b *Batch) error {
	next := *b
	next.Phase = BatchPinning
	if !pinned(b.Action) {
		next.Phase = BatchRunning
	}
	now, err := insist(ctx, func() (time.Time, error) { return e.store.Now(ctx) })
	if err != nil {
		return err
	}
	next.DueAt = now
	if b.Total == 0 {
		next.Phase, next.DueAt = BatchComplete, time.Time{}
	}
	ok, err := insist(ctx, func() (bool, error) { return e.store.SaveBatch(ctx, next, nil, 0, true) })
	switch {
	case err != nil:
		return err
	case !ok:
		return ErrVersionMismatch
	}
	*b = next
	return nil
}

// pinned tells whether the items of an action are bound to one question each.
func pinned(action string) bool { return action == RequestAnswer }

// batchActions are what a batch may do.
var batchActions = map[string]bool{
	RequestAnswer: true, RequestPause: true, RequestResume: true, RequestCancel: true, RequestRetry: true,
	RequestAdvance: true, RequestMove: true, RequestReask: true, RequestSignal: true, ActionDelete: true,
}

func checkBatch(q *BatchRequest) error {
	fault := func(pointer, format string, args ...any) error {
		return &DetailError{Err: ErrBadRequest, Faults: []Fault{{Pointer: pointer, Message: fmt.Sprintf(format, args...)}}}
	}
	if !batchActions[q.Action] {
		return fault("/action", "%q is nothing a batch can do; want one of %v", q.Action, sortedKeys(batchActions))
	}
	if (q.Filter == nil) == (len(q.Items) == 0) {
		return fault("", "want a filter or items, one of the two")
	}
	switch o := &q.Options; {
	case q.Action == RequestMove && o.To == "":
		return fault("/to", "is missing: to which step?")
	case q.Action == RequestAdvance && o.Step == "" && q.Filter != nil:
		return fault("/step", "is missing: which step's paths shall be evaluated again?")
	case q.Action == RequestSignal && o.Name == "":
		return fault("/name", "is missing")
	case o.Rate < 0 || o.First < 0 || o.StopAfterFailures < 0:
		return fault("", "rate, first and stop_after_failures cannot be negative")
	}
	for i := range q.Items {
		item := &q.Items[i]
		if item.Session == "" {
			return fault(fmt.Sprintf("/items/%d/session", i), "is missing")
		}
		if q.Action == RequestAnswer && len(item.Response) == 0 && len(q.Options.Response) == 0 {
			return fault(fmt.Sprintf("/items/%d/response", i), "is missing")
		}
	}
	if q.Action == RequestAnswer && q.Filter != nil && len(q.Options.Response) == 0 {
		return fault("/response", "is missing: what shall all of them be answered?")
	}
	return nil
}

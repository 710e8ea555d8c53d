package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// batchPage is how many items are written, pinned or worked on together.
const batchPage = 200

// StartBatch writes a batch with all its items and returns when they are durable; work on
// them begins then. With the key of a batch that was begun and not acknowledged it goes
// on writing that one. Errors: ErrBadRequest, ErrKeyReused.
func (e *Engine) StartBatch(ctx context.Context, q BatchRequest) (*Batch, bool, error) {
	if err := checkBatch(&q); err != nil {
		return nil, false, err
	}
	options, err := encodePlain(q.Options)
	if err != nil {
		return nil, false, detail(ErrBadRequest, "%v", err)
	}
	hash := batchHash(&q)
	made, exists, err := e.store.CreateBatch(ctx, Batch{ID: e.o.NewID(), Action: q.Action, Options: options,
		Phase: BatchCollecting, Key: q.Key, BodyHash: hash, By: q.By})
	if err != nil {
		if isSentinel(err, ErrKeyReused) {
			return nil, false, detail(ErrKeyReused, "idempotency key %q started another batch", q.Key)
		}
		return nil, false, err
	}
	if exists && made.Phase != BatchCollecting {
		return &made, true, nil
	}
	if made.Total, err = e.collect(ctx, made.ID, &q); err != nil {
		return nil, false, err
	}
	made.Phase = BatchPinning
	if !pinned(q.Action) {
		made.Phase = BatchRunning
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return nil, false, err
	}
	made.DueAt = now
	if made.Total == 0 {
		made.Phase, made.DueAt = BatchComplete, milli(0)
	}
	ok, err := e.store.SaveBatch(ctx, made, nil, 0, true)
	if err != nil {
		return nil, false, err
	}
	if !ok { // another call with this key was faster
		again, err := e.store.Batch(ctx, made.ID)
		return again, true, err
	}
	e.wakeBatches()
	return &made, false, nil
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

func batchHash(q *BatchRequest) string {
	h := sha256.New()
	hashJSON(h, map[string]any{"action": q.Action, "filter": q.Filter, "options": q.Options})
	for i := range q.Items {
		hashJSON(h, q.Items[i])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// collect writes the items, numbered from 1. One that was begun before is written anew:
// nobody was told of it.
func (e *Engine) collect(ctx context.Context, id string, q *BatchRequest) (int64, error) {
	w := itemWriter{e: e, ctx: ctx, batch: id, most: q.Options.First}
	if q.Filter == nil {
		for i := range q.Items {
			if err := w.add(q.Items[i]); err != nil {
				return 0, err
			}
		}
		return w.n, w.flush()
	}
	filter := *q.Filter
	filter.Limit, filter.WithState = batchPage, false
	for !w.full() {
		page, err := e.store.ListSessions(ctx, filter)
		if err != nil {
			return 0, err
		}
		for i := range page {
			if err := w.add(BatchItem{Session: page[i].ID}); err != nil {
				return 0, err
			}
		}
		if len(page) < batchPage {
			break
		}
		filter.After = *cursorAt(&page[len(page)-1], filter.OldestWaiting)
	}
	return w.n, w.flush()
}

// An itemWriter numbers items and writes them in pages.
type itemWriter struct {
	e     *Engine
	ctx   context.Context
	batch string
	most  int
	n     int64
	page  []BatchItem
}

func (w *itemWriter) full() bool { return w.most > 0 && w.n >= int64(w.most) }

func (w *itemWriter) add(item BatchItem) error {
	if w.full() {
		return nil
	}
	w.n++
	item.Batch, item.N, item.Outcome = w.batch, w.n, ItemOpen
	w.page = append(w.page, item)
	if len(w.page) < 1000 {
		return nil
	}
	return w.flush()
}

func (w *itemWriter) flush() error {
	if len(w.page) == 0 {
		return nil
	}
	err := w.e.store.AddBatchItems(w.ctx, w.batch, w.page)
	w.page = nil
	return err
}

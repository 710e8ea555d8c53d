package cypher

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// batches are lists of sessions on which one action is done.
type batches struct{ *db }

// CreateBatch makes a batch in phase collecting, unless its key or id has one. Where
// another caller takes the key at the same moment, the constraint ends this sending and the
// next one sees who it was.
func (s batches) CreateBatch(ctx context.Context, b store.Batch) (store.Batch, bool, error) {
	p := params{"id": b.ID, "key": optional(b.Key), "properties": batchProperties(&b, rand.Text())}
	var rows []row
	var err error
	for range 3 {
		rows, err = s.write(ctx, queryBatchCreate, p)
		if !isConstraint(err) {
			break
		}
	}
	if err != nil {
		return store.Batch{}, false, err
	}
	there := rows[0].properties("there")
	if there == nil {
		now := rows[0].time("now")
		b.Phase, b.CreatedAt, b.UpdatedAt, b.DueAt = store.BatchCollecting, now, now, time.Time{}
		b.Lease, b.LeaseOwner, b.LeaseUntil = "", "", time.Time{}
		return b, false, nil
	}
	first := batchFrom(there)
	if first.Key != b.Key || first.BodyHash != b.BodyHash {
		return store.Batch{}, false, fmt.Errorf("%w: key %q, batch %s", store.ErrKeyReused, b.Key, first.ID)
	}
	return first, !rows[0].yes("again"), nil
}

// batchProperties are those of a new BATCH node. creation marks the call, so that a sending
// whose answer was lost recognises what it made.
func batchProperties(b *store.Batch, creation string) params {
	return params{
		"id": b.ID, "action": b.Action, "phase": store.BatchCollecting, "options": optional(b.Options), "key": optional(b.Key),
		"body_hash": optional(b.BodyHash), "by": optional(b.By), "total": b.Total, "done": b.Done, "failed": b.Failed,
		"reached": b.Reached, "forgiven": b.Forgiven, "message": optional(b.Message), "creation": creation,
	}
}

// batchFrom reads the properties of a BATCH.
func batchFrom(p properties) store.Batch {
	return store.Batch{
		ID: p.text("id"), Action: p.text("action"), Options: p.bytes("options"), Phase: p.text("phase"), Total: p.number("total"),
		Done: p.number("done"), Failed: p.number("failed"), Forgiven: p.number("forgiven"), Reached: p.number("reached"),
		Message: p.text("message"), Key: p.text("key"), BodyHash: p.text("body_hash"), By: p.text("by"),
		CreatedAt: p.time("created_at"), UpdatedAt: p.time("updated_at"), Lease: p.text("lease"), LeaseOwner: p.text("lease_owner"),
		LeaseUntil: p.time("lease_until"), DueAt: p.time("due_at"),
	}
}

// itemsAtOnce is how many items one statement writes.
const itemsAtOnce = 1000

// AddBatchItems writes items in one transaction; repeated, it writes the same again.
func (s batches) AddBatchItems(ctx context.Context, batch string, items []store.BatchItem) error {
	return s.together(ctx, "add items to batch "+batch, true, func(t transaction) error {
		rows, err := t.query(ctx, queryBatchCollecting, params{"id": batch})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("%w: %s", store.ErrBatchNotFound, batch)
		}
		if phase := rows[0].text("phase"); phase != store.BatchCollecting {
			return fmt.Errorf("%w: batch %s is %s, its items are complete", store.ErrVersionMismatch, batch, phase)
		}
		return askForItems(ctx, t, queryBatchItemsPut, items, func(i *store.BatchItem) params { return itemProperties(batch, i) })
	})
}

// askForItems sends a statement with as many rows at once as are good for it.
func askForItems(ctx context.Context, t transaction, q statement, items []store.BatchItem, row func(*store.BatchItem) params) error {
	for len(items) > 0 {
		some := items[:min(itemsAtOnce, len(items))]
		items = items[len(some):]
		rows := make([]any, len(some))
		for i := range some {
			rows[i] = row(&some[i])
		}
		if _, err := t.query(ctx, q, params{"rows": rows}); err != nil {
			return err
		}
	}
	return nil
}

func itemID(batch string, n int64) string { return batch + "/" + strconv.FormatInt(n, 10) }

// itemProperties are those of a BATCH_ITEM node. todo, which the index looks for, is there
// only while the item is open.
func itemProperties(batch string, i *store.BatchItem) params {
	p := itemProgress(i)
	p["id"], p["batch"], p["n"] = itemID(batch, i.N), batch, i.N
	p["session"], p["response"] = i.Session, optional(i.Response)
	return p
}

// itemProgress are the properties of an item that change: nil removes one.
func itemProgress(i *store.BatchItem) params {
	p := params{"step": optional(i.Step), "visit": nil, "ask": nil, "outcome": i.Outcome, "error": optional(i.Error), "would": optional(i.Would), "todo": nil}
	if i.Visit != 0 || i.Ask != 0 {
		p["visit"], p["ask"] = i.Visit, i.Ask
	}
	if i.Outcome == store.ItemOpen {
		p["todo"] = i.N
	}
	return p
}

func itemFrom(p properties) store.BatchItem {
	return store.BatchItem{
		Batch: p.text("batch"), N: p.number("n"), Session: p.text("session"), Step: p.text("step"), Visit: int(p.number("visit")),
		Ask: int(p.number("ask")), Response: p.bytes("response"), Outcome: p.text("outcome"), Error: p.text("error"), Would: p.bytes("would"),
	}
}

// Batch returns one batch, read under its lock: see seal.go on why.
func (s batches) Batch(ctx context.Context, id string) (*store.Batch, error) {
	rows, err := s.locked(ctx, queryBatchLocked, params{"id": id})
	return oneBatch(id, rows, err)
}

// oneBatch is the batch of an answer's one row.
func oneBatch(id string, rows []row, err error) (*store.Batch, error) {
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: %s", store.ErrBatchNotFound, id)
	}
	b := batchFrom(rows[0].properties("batch"))
	return &b, nil
}

// ListBatches returns a page of batches, newest first.
func (s batches) ListBatches(ctx context.Context, after store.Cursor, limit int) ([]store.Batch, error) {
	if limit <= 0 {
		limit = 50
	}
	rows, err := s.locked(ctx, queryBatchesNewest, params{"after_at": stamp(after.At), "after_id": after.ID, "limit": limit})
	list := make([]store.Batch, len(rows))
	for i, r := range rows {
		list[i] = batchFrom(r.properties("batch"))
	}
	return list, err
}

// BatchItems returns a page of a batch's items.
func (s batches) BatchItems(ctx context.Context, batch string, q store.ItemQuery) ([]store.BatchItem, error) {
	if q.Limit <= 0 {
		q.Limit = 50
	}
	p, statement := params{"id": batch, "above": q.After, "limit": q.Limit}, queryBatchItemsOpen
	if q.Outcome != store.ItemOpen {
		statement = queryBatchItems
		p["outcome"] = optional(q.Outcome)
	}
	rows, err := s.show(ctx, statement, p)
	list := make([]store.BatchItem, len(rows))
	for i, r := range rows {
		list[i] = itemFrom(r.properties("item"))
	}
	return list, err
}

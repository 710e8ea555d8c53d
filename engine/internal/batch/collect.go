package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/store"
)

// wanted is the part of a requested item that counts: what it was in an earlier batch
// does not.
func wanted(item *store.BatchItem) store.BatchItem {
	return store.BatchItem{Session: item.Session, Step: item.Step, Response: item.Response}
}

// batchHash distinguishes two batches with the same key.
func batchHash(q *store.BatchRequest) string {
	h := sha256.New()
	graph.HashJSON(h, map[string]any{"action": q.Action, "filter": q.Filter, "options": q.Options})
	for i := range q.Items {
		graph.HashJSON(h, wanted(&q.Items[i]))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// collect writes the items, numbered from 1. A batch whose items were partly written before is
// written again: no caller has seen it.
func (o *Operations) collect(ctx context.Context, id string, q *store.BatchRequest) (int64, error) {
	w := itemWriter{o: o, ctx: ctx, batch: id, most: q.Options.First}
	if q.Filter == nil {
		for i := range q.Items {
			if err := w.add(wanted(&q.Items[i])); err != nil {
				return 0, err
			}
		}
		err := w.flush()
		return w.n, err
	}
	err := w.addMatching(*q.Filter)
	return w.n, err
}

// itemPage is how many items are listed and written together.
const itemPage = 1000

// An itemWriter numbers items and writes them in pages.
type itemWriter struct {
	o     *Operations
	ctx   context.Context
	batch string
	most  int
	n     int64
	page  []store.BatchItem
}

// addMatching adds the sessions of a filter, each once: one that is answered and asks again
// while the oldest questions are listed would come twice in that order.
func (w *itemWriter) addMatching(filter store.SessionQuery) error {
	filter.Limit, filter.WithState = itemPage, false
	seen := map[string]bool{}
	for !w.full() {
		page, err := retry.Do(w.ctx, func() ([]store.SessionRecord, error) { return w.o.opt.Store.ListSessions(w.ctx, filter) })
		if err != nil {
			return err
		}
		for i := range page {
			if filter.OldestWaiting && seen[page[i].ID] {
				continue
			}
			if filter.OldestWaiting {
				seen[page[i].ID] = true
			}
			if err := w.add(store.BatchItem{Session: page[i].ID}); err != nil {
				return err
			}
		}
		if len(page) < filter.Limit {
			break
		}
		filter.After = page[len(page)-1].Cursor(filter.OldestWaiting)
	}
	return w.flush()
}

func (w *itemWriter) full() bool { return w.most > 0 && w.n >= int64(w.most) }

func (w *itemWriter) add(item store.BatchItem) error {
	if w.full() {
		return nil
	}
	w.n++
	item.Batch, item.N, item.Outcome = w.batch, w.n, store.ItemOpen
	w.page = append(w.page, item)
	if len(w.page) < itemPage {
		return nil
	}
	return w.flush()
}

func (w *itemWriter) flush() error {
	if len(w.page) == 0 {
		return nil
	}
	_, err := retry.Do(w.ctx, func() (struct{}, error) {
		return struct{}{}, w.o.opt.Store.AddBatchItems(w.ctx, w.batch, w.page)
	})
	w.page = nil
	return err
}

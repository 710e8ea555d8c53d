package batch

import (
	"context"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/internal/retry"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// pin binds each item to one question, in order: two items of one session to two
// questions, and one that finds none fails. It is durable before the first is answered,
// so that what a batch answers does not depend on what its own answers bring.
func (w *worker) pin(ctx context.Context) error {
	taken := map[string]bool{} // targets pinned
	for after := int64(0); ; {
		items, err := w.items(ctx, after)
		if err != nil || len(items) == 0 {
			return err
		}
		after = items[len(items)-1].N
		if after <= w.b.Reached { // pinned before a restart
			for _, item := range items {
				taken[store.Target(item.Session, item.Step, item.Visit, item.Ask)] = true
			}
			continue
		}
		changed, err := w.pinPage(ctx, items, taken)
		if err != nil {
			return err
		}
		w.b.Reached = after
		if err := w.save(ctx, changed); err != nil {
			return err
		}
	}
}

func (w *worker) pinPage(ctx context.Context, items []store.BatchItem, taken map[string]bool) ([]store.BatchItem, error) {
	states, err := w.states(ctx, items)
	if err != nil {
		return nil, err
	}
	var changed []store.BatchItem
	for _, item := range items {
		if item.Visit != 0 || item.Outcome != store.ItemOpen { // pinned before a restart
			taken[store.Target(item.Session, item.Step, item.Visit, item.Ask)] = true
			continue
		}
		if problem := pinItem(&item, states[item.Session], w.options.Step, taken); problem != "" {
			item.Outcome, item.Error = store.ItemFailed, problem
			w.b.Failed++
		}
		changed = append(changed, item)
	}
	return changed, nil
}

func (w *worker) states(ctx context.Context, items []store.BatchItem) (map[string]*store.SessionRecord, error) {
	ids := make([]string, 0, len(items))
	seen := map[string]bool{}
	for _, item := range items {
		if !seen[item.Session] {
			seen[item.Session] = true
			ids = append(ids, item.Session)
		}
	}
	records, err := retry.Do(ctx, func() ([]store.SessionRecord, error) { return w.o.opt.Store.SessionsByID(ctx, ids) })
	found := make(map[string]*store.SessionRecord, len(records))
	for i := range records {
		found[records[i].ID] = &records[i]
	}
	return found, err
}

// pinItem finds the question an item is for; the text says why there is none.
func pinItem(item *store.BatchItem, rec *store.SessionRecord, step string, taken map[string]bool) string {
	if rec == nil {
		return store.ErrSessionNotFound.Error()
	}
	if item.Step != "" {
		step = item.Step
	}
	st, err := state.Parse(rec.ID, rec.State)
	if err != nil {
		return err.Error()
	}
	st.AdoptAsks(rec, time.Now().UnixMilli())
	for _, q := range st.Waiting() {
		on := store.Target(rec.ID, q.Step, q.Visit, q.Ask)
		if step != "" && q.Step != step || taken[on] {
			continue
		}
		taken[on] = true
		item.Step, item.Visit, item.Ask = q.Step, q.Visit, q.Ask
		return ""
	}
	if step != "" {
		return fmt.Sprintf("no open question at step %q", step)
	}
	return store.ErrNoOpenQuestion.Error()
}

package storetest

import (
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// newBatch is a batch of this case.
func (k *kit) newBatch(name string) store.Batch {
	return store.Batch{ID: k.id(name), Action: store.RequestAnswer, Options: []byte(`{"step":"ask"}`), By: "somebody"}
}

// createBatch creates a batch that has to be new.
func (k *kit) createBatch(b store.Batch) store.Batch {
	k.Helper()
	made, exists, err := k.store.CreateBatch(k.ctx, b)
	k.noError(err)
	if exists {
		k.Fatalf("batch %s was there already", b.ID)
	}
	return made
}

// batch reads a batch of this case.
func (k *kit) batch(name string) store.Batch {
	k.Helper()
	b, err := k.store.Batch(k.ctx, k.id(name))
	k.noError(err)
	return *b
}

// sameBatch compares all of two batches; times to the millisecond.
func (k *kit) sameBatch(what string, got, want store.Batch) {
	k.Helper()
	for _, t := range []struct {
		name      string
		got, want *time.Time
	}{
		{"created_at", &got.CreatedAt, &want.CreatedAt}, {"updated_at", &got.UpdatedAt, &want.UpdatedAt},
		{"lease_until", &got.LeaseUntil, &want.LeaseUntil}, {"due_at", &got.DueAt, &want.DueAt},
	} {
		k.sameTime(what+": "+t.name, *t.got, *t.want)
		*t.got, *t.want = time.Time{}, time.Time{}
	}
	k.equal(what, fmt.Sprintf("%+v %s", got, got.Options), fmt.Sprintf("%+v %s", want, want.Options))
}

// saveBatch saves a batch, giving its lease up, and wants it to be saved or refused.
func (k *kit) saveBatch(b store.Batch, items []store.BatchItem, want bool) {
	k.Helper()
	ok, err := k.store.SaveBatch(k.ctx, b, items, long, true)
	k.noError(err)
	k.equal("saved", ok, want)
}

// newItems are the items numbered from first to last, all open.
func (k *kit) newItems(first, last int64) []store.BatchItem {
	items := make([]store.BatchItem, 0, last-first+1)
	for n := first; n <= last; n++ {
		items = append(items, store.BatchItem{N: n, Session: fmt.Sprintf("%s-s%d", k.prefix, n), Outcome: store.ItemOpen})
	}
	return items
}

func (k *kit) addItems(name string, items []store.BatchItem) {
	k.Helper()
	k.noError(k.store.AddBatchItems(k.ctx, k.id(name), items))
}

// items reads a page of a batch of this case.
func (k *kit) items(name string, q store.ItemQuery) []store.BatchItem {
	k.Helper()
	items, err := k.store.BatchItems(k.ctx, k.id(name), q)
	k.noError(err)
	return items
}

// sameItems compares all of two lists of items. The batch's id is the store's to fill in.
func (k *kit) sameItems(what, batch string, got, want []store.BatchItem) {
	k.Helper()
	if len(got) != len(want) {
		k.Fatalf("%s: %d items, want %d", what, len(got), len(want))
	}
	for i := range want {
		w := want[i]
		w.Batch = k.id(batch)
		k.equal(fmt.Sprintf("%s: item %d", what, w.N), itemText(got[i]), itemText(w))
	}
}

func itemText(i store.BatchItem) string {
	return fmt.Sprintf("%q %d %q %q %d %d %q %q %q %q", i.Batch, i.N, i.Session, i.Step, i.Visit, i.Ask, i.Response, i.Outcome, i.Error, i.Would)
}

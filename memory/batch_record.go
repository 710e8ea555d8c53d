package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A batch is one BATCH with its items.
type batch struct {
	record    store.Batch
	stoppedIn string            // the phase in which it was stopped
	items     []store.BatchItem // by n
}

// find returns the index of the item with a number, or the index where it would be inserted.
func (x *batch) find(n int64) (int, bool) {
	return slices.BinarySearchFunc(x.items, n, func(i store.BatchItem, n int64) int { return cmp.Compare(i.N, n) })
}

func (x *batch) held(now time.Time) bool {
	return x.record.Lease != "" && x.record.LeaseUntil.After(now)
}

// free ends the lease; the batch is then due at the given time, or never.
func (x *batch) free(due time.Time) {
	b := &x.record
	b.Lease, b.LeaseOwner, b.LeaseUntil, b.DueAt = "", "", time.Time{}, due
}

func (x *batch) copy() *store.Batch {
	b := cloneBatch(x.record)
	return &b
}

func cloneBatch(b store.Batch) store.Batch {
	b.Options = slices.Clone(b.Options)
	return b
}

func cloneItem(i store.BatchItem) store.BatchItem {
	i.Response, i.Would = slices.Clone(i.Response), slices.Clone(i.Would)
	return i
}

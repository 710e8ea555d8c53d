package shard

import (
	"cmp"
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// merge joins sorted pages of several databases into one page of at most limit rows. The cursors
// of all pages are sort keys, so the page after it begins at the same row in each database. Rows
// that two databases have are taken once.
func merge[R any](pages [][]R, limit int, order func(a, b *R) int) []R {
	out := slices.Concat(pages...)
	sorting.Stable(out, order)
	out = slices.CompactFunc(out, func(a, b R) bool { return order(&a, &b) == 0 })
	return out[:min(len(out), limit)]
}

// defaultPage is how many rows a query without a limit gets, in all stores.
const defaultPage = 50

// page is the limit of a query.
func page(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return limit
}

func newestFirst(a, b *store.SessionRecord) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
}

func oldestFirst(a, b *store.SessionRecord) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

func longestWaitingFirst(a, b *store.SessionRecord) int {
	return cmp.Or(a.AwaitingSince.Compare(b.AwaitingSince), cmp.Compare(a.ID, b.ID))
}

func byTime(a, b *store.Cursor) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

func byID(a, b *store.SessionRecord) int { return cmp.Compare(a.ID, b.ID) }

package sorting_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/internal/sorting"
)

type entry struct{ key, at int }

// TestSorts: both give the order of the keys, and Stable keeps the order of entries with one key.
func TestSorts(t *testing.T) {
	for n := range 200 {
		list := make([]entry, n)
		for i := range list {
			list[i] = entry{rand.IntN(20), i}
		}
		byKey := func(a, b *entry) int { return cmp.Compare(a.key, b.key) }
		stable := slices.Clone(list)
		sorting.Stable(stable, byKey)
		if !slices.IsSortedFunc(stable, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) }) {
			t.Fatalf("Stable: %v", stable)
		}
		sorting.By(list, byKey)
		if !slices.IsSortedFunc(list, func(a, b entry) int { return cmp.Compare(a.key, b.key) }) {
			t.Fatalf("By: %v", list)
		}
	}
	sorting.By([]entry(nil), func(a, b *entry) int { panic("nothing to compare") })
}

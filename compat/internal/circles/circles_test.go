package circles

import (
	"reflect"
	"testing"
)

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		next [][]int
		want [][]int
	}{
		"nothing":       {},
		"alone":         {next: [][]int{nil}},
		"itself":        {next: [][]int{{0}}},
		"a chain":       {next: [][]int{{1}, {2}, nil}},
		"a circle":      {next: [][]int{{2}, {0}, {1}}, want: [][]int{{0, 1, 2}}},
		"two":           {next: [][]int{{3}, {2}, {1}, {0, 1}}, want: [][]int{{0, 3}, {1, 2}}},
		"one in one":    {next: [][]int{{1}, {2}, {1, 0}}, want: [][]int{{0, 1, 2}}},
		"behind others": {next: [][]int{{1}, {2}, {3, 4}, {2}, nil}, want: [][]int{{2, 3}}},
	} {
		if got := Find(c.next); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestFindLong: a chain and a circle as long as a large file are no deep calls.
func TestFindLong(t *testing.T) {
	const n = 500_000
	next := make([][]int, n)
	for i := range n - 1 {
		next[i] = []int{i + 1}
	}
	if got := Find(next); got != nil {
		t.Errorf("%d circles in a chain", len(got))
	}
	next[n-1] = []int{0}
	if got := Find(next); len(got) != 1 || len(got[0]) != n {
		t.Errorf("%d circles in a circle", len(got))
	}
}

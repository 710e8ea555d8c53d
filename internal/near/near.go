// Package near finds the known names that resemble a misspelt one, for error messages.
package near

import "sort"

// Names returns up to n of known that are few edits away from name, nearest first.
func Names(name string, known []string, n int) []string {
	type scored struct {
		name string
		far  int
	}
	limit := len(name)/4 + 1
	var close []scored
	for _, k := range known {
		if d := Distance(name, k, limit); d <= limit {
			close = append(close, scored{k, d})
		}
	}
	sort.Slice(close, func(i, j int) bool {
		if close[i].far != close[j].far {
			return close[i].far < close[j].far
		}
		return close[i].name < close[j].name
	})
	out := make([]string, 0, n)
	for _, c := range close {
		if len(out) == n {
			break
		}
		out = append(out, c.name)
	}
	return out
}

// Distance is the number of edits between a and b in bytes: a byte inserted, removed or replaced, or
// two neighbours swapped. Names longer than 200 bytes are far from everything.
func Distance(a, b string, limit int) int {
	if len(a) > 200 || len(b) > 200 {
		return limit + 1
	}
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

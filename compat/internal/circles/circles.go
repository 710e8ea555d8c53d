// Package circles finds cycles in a directed graph in linear time, so that a file made to be
// slow is refused quickly.
package circles

import "slices"

// Find returns the strongly connected components with two or more nodes, each in the order of
// the nodes, and the components in the order of their first node. Nodes are numbered from 0 to
// len(next)-1; next[n] lists the successors of n.
func Find(next [][]int) [][]int {
	f := finder{next: next, order: make([]int, len(next)), low: make([]int, len(next)), on: make([]bool, len(next))}
	for n := range next {
		if f.order[n] == 0 {
			f.walk(n)
		}
	}
	slices.SortFunc(f.found, func(a, b []int) int { return a[0] - b[0] })
	return f.found
}

// A finder runs Tarjan's algorithm with an explicit stack, because a chain may be as long as
// the file, too deep for recursion.
type finder struct {
	next  [][]int
	order []int // when a node was come to, from 1
	low   []int // the earliest node that it leads back to
	on    []bool
	stack []int
	count int
	found [][]int
}

// A call is a node on the way and the place of the next path out of it.
type call struct{ node, at int }

func (f *finder) walk(from int) {
	f.enter(from)
	for way := []call{{from, 0}}; len(way) > 0; {
		c := &way[len(way)-1]
		if c.at < len(f.next[c.node]) {
			to := f.next[c.node][c.at]
			c.at++
			switch {
			case f.order[to] == 0:
				f.enter(to)
				way = append(way, call{to, 0})
			case f.on[to]:
				f.low[c.node] = min(f.low[c.node], f.order[to])
			}
			continue
		}
		node := c.node
		way = way[:len(way)-1]
		f.leave(node)
		if len(way) > 0 {
			above := way[len(way)-1].node
			f.low[above] = min(f.low[above], f.low[node])
		}
	}
}

func (f *finder) enter(n int) {
	f.count++
	f.order[n], f.low[n], f.on[n] = f.count, f.count, true
	f.stack = append(f.stack, n)
}

// leave takes the set that began at a node off the stack.
func (f *finder) leave(n int) {
	if f.low[n] != f.order[n] {
		return
	}
	at := len(f.stack) - 1
	for f.stack[at] != n {
		at--
	}
	set := slices.Clone(f.stack[at:])
	f.stack = f.stack[:at]
	for _, member := range set {
		f.on[member] = false
	}
	if len(set) > 1 {
		slices.Sort(set)
		f.found = append(f.found, set)
	}
}

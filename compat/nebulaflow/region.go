package nebulaflow

import "slices"

// A region is a loop: its start, its end and the nodes that run in each round, both among
// them. Regions lie in one another or apart.
type region struct {
	start, end *node
	outer      *region
	body       []bool // by the places of nodes in the file
	size       int    // of the body
}

func (r *region) has(n *node) bool { return r.body[n.index] }

// findRegions pairs each loop-start with the first loop-end that no inner loop takes, inner
// loops first, and finds the bodies. It returns the loop nodes that have no partner.
func (f *flow) findRegions() (alone []*node) {
	early := f.early()
	var starts []*node
	for _, n := range f.Nodes {
		if n.Type == kindLoopStart && n.active() {
			starts = append(starts, n)
		}
	}
	slices.SortStableFunc(starts, func(a, b *node) int { return early[a.index] - early[b.index] })
	ends, taken := map[*node]*node{}, map[*node]*node{} // by one another
	for _, n := range starts {
		if end := f.endOf(n, taken, early); end != nil {
			ends[n], taken[end] = end, n
		}
	}
	for _, n := range f.Nodes {
		switch {
		case !n.active():
		case n.Type == kindLoopStart && ends[n] != nil:
			f.regions = append(f.regions, &region{start: n, end: ends[n]})
		case n.Type == kindLoopStart, n.Type == kindLoopEnd && taken[n] == nil:
			alone = append(alone, n)
		}
	}
	for _, r := range f.regions {
		f.fill(r)
	}
	f.nest()
	return alone
}

// early gives each node a number that is greater than those of all it leads to, over nodes
// that take no part too.
func (f *flow) early() []int {
	numbers, next := make([]int, len(f.Nodes)), 1
	var visit func(n *node)
	visit = func(n *node) {
		numbers[n.index] = -1
		for _, e := range n.next {
			if numbers[e.to.index] == 0 {
				visit(e.to)
			}
		}
		numbers[n.index] = next
		next++
	}
	for _, n := range f.Nodes {
		if numbers[n.index] == 0 {
			visit(n)
		}
	}
	return numbers
}

// endOf is the first loop-end after a start that no loop behind it has taken. It walks over
// nodes that take no part too: a loop stays one when a node in it is switched off. Where all
// are taken it is one that a loop beside this one has, which is a fault.
func (f *flow) endOf(start *node, taken map[*node]*node, early []int) (end *node) {
	seen := make([]bool, len(f.Nodes))
	var shared []*node
	for todo := []*node{start}; len(todo) > 0; todo = todo[1:] {
		for _, e := range todo[0].next {
			if seen[e.to.index] {
				continue
			}
			seen[e.to.index] = true
			if e.to.Type == kindLoopEnd && e.to.active() {
				if taken[e.to] == nil {
					if end == nil || early[e.to.index] > early[end.index] {
						end = e.to
					}
					continue
				}
				shared = append(shared, e.to)
			}
			todo = append(todo, e.to)
		}
	}
	for _, other := range shared {
		if end == nil && !seen[taken[other].index] {
			end = other
		}
	}
	return end
}

// fill finds the body: what the start leads to without passing the end, and what feeds
// nothing but the body.
func (f *flow) fill(r *region) {
	after := f.reach(r.end, nil)
	r.body = f.reach(r.start, r.end)
	for i := range r.body {
		r.body[i] = r.body[i] && !after[i]
	}
	r.body[r.start.index], r.body[r.end.index] = true, true
	f.feeders(r)
	for _, in := range r.body {
		if in {
			r.size++
		}
	}
}

// reach are the nodes that one leads to; what stop leads to is left out.
func (f *flow) reach(from, stop *node) []bool {
	seen := make([]bool, len(f.Nodes))
	for todo := []*node{from}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == stop {
			continue
		}
		for _, e := range todo[0].out {
			if !seen[e.to.index] {
				seen[e.to.index] = true
				todo = append(todo, e.to)
			}
		}
	}
	return seen
}

// feeders adds the nodes that lead into the body, and that nothing outside of it has to do
// with. A feed of the start's own edges runs before the loop.
func (f *flow) feeders(r *region) {
	outside := make([]int, len(f.Nodes)) // edges of a node that are not known to join it to the body
	var todo []*node
	for i, n := range f.Nodes {
		outside[i] = len(n.in) + len(n.out)
		if r.body[i] {
			todo = append(todo, n)
		}
	}
	joined := func(n *node) {
		outside[n.index]--
		if outside[n.index] == 0 && len(n.out) > 0 && !r.has(n) {
			r.body[n.index] = true
			todo = append(todo, n)
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for _, e := range todo[0].in {
			if todo[0].Type != kindLoopStart {
				joined(e.from)
			}
		}
		for _, e := range todo[0].out {
			joined(e.to)
		}
	}
}

// nest finds the innermost region of each node and the region around each region.
func (f *flow) nest() {
	f.inRegion = map[string]*region{}
	for _, r := range f.regions {
		for i, n := range f.Nodes {
			if inner := f.inRegion[n.ID]; r.body[i] && (inner == nil || r.size < inner.size) {
				f.inRegion[n.ID] = r
			}
		}
	}
	for _, r := range f.regions {
		for _, o := range f.regions {
			if o != r && o.has(r.start) && (r.outer == nil || o.size < r.outer.size) {
				r.outer = o
			}
		}
	}
}

// around are the regions a node lies in, outermost first.
func (f *flow) around(id string) []*region {
	var all []*region
	for r := f.inRegion[id]; r != nil; r = r.outer {
		all = append(all, r)
	}
	slices.Reverse(all)
	return all
}

// borders are the outermost loops that an edge leaves and enters, nil where it does not.
func (f *flow) borders(e *edge) (left, entered *region) {
	from, to := f.around(e.Source), f.around(e.Target)
	shared := 0
	for shared < len(from) && shared < len(to) && from[shared] == to[shared] {
		shared++
	}
	if len(from) > shared {
		left = from[shared]
	}
	if len(to) > shared {
		entered = to[shared]
	}
	return left, entered
}

// ends are the nodes an edge joins, with the start of a loop for all that lies in it where the
// edge crosses its border.
func (f *flow) ends(e *edge) (from, to *node) {
	left, entered := f.borders(e)
	from, to = e.from, e.to
	if left != nil {
		from = left.start
	}
	if entered != nil {
		to = entered.start
	}
	return from, to
}

// loopAround is the loop in which a node runs, for a loop's start the one around that loop; nil
// where there is none.
func (f *flow) loopAround(n *node) *region {
	r := f.inRegion[n.ID]
	if r != nil && r.start == n {
		return r.outer
	}
	return r
}

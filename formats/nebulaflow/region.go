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

// findRegions pairs each loop-start with the first loop-end that no inner loop takes, and
// finds the bodies. It returns the loop nodes that have no partner.
func (f *flow) findRegions() (alone []*node) {
	taken := map[string]bool{}
	for _, n := range f.Nodes {
		if n.Type != kindLoopStart || !n.active() {
			continue
		}
		end := f.endOf(n)
		if end == nil {
			alone = append(alone, n)
			continue
		}
		taken[end.ID] = true
		f.regions = append(f.regions, &region{start: n, end: end})
	}
	for _, n := range f.Nodes {
		if n.Type == kindLoopEnd && n.active() && !taken[n.ID] {
			alone = append(alone, n)
		}
	}
	for _, r := range f.regions {
		f.fill(r)
	}
	f.nest()
	return alone
}

// endOf walks forward, a level deeper at each loop-start and a level up at each loop-end.
func (f *flow) endOf(start *node) *node {
	type place struct {
		at    *node
		depth int
	}
	seen := map[place]bool{}
	for todo := []place{{start, 1}}; len(todo) > 0; todo = todo[1:] {
		for _, e := range todo[0].at.out {
			next := place{e.to, todo[0].depth}
			switch e.to.Type {
			case kindLoopStart:
				next.depth++
			case kindLoopEnd:
				next.depth--
			}
			if next.depth == 0 {
				return e.to
			}
			if f.ways++; !seen[next] && f.ways <= mostWays {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return nil
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

package nebulaflow

// A region is a loop: its start, its end and the nodes that run in each round, both among
// them. Regions lie in one another or apart.
type region struct {
	start, end *node
	outer      *region
	body       map[string]bool
}

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
		id    string
		depth int
	}
	seen := map[place]bool{}
	for todo := []place{{start.ID, 1}}; len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		for _, e := range f.outOf(at.id) {
			next := place{e.Target, at.depth}
			switch f.byID[e.Target].Type {
			case kindLoopStart:
				next.depth++
			case kindLoopEnd:
				next.depth--
			}
			if next.depth == 0 {
				return f.byID[e.Target]
			}
			if !seen[next] && next.depth <= len(f.Nodes) {
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
	after := f.reach(r.end.ID, "")
	r.body = f.reach(r.start.ID, r.end.ID)
	for id := range after {
		delete(r.body, id)
	}
	r.body[r.start.ID], r.body[r.end.ID] = true, true
	for grown := true; grown; {
		grown = false
		for _, n := range f.Nodes {
			if !r.body[n.ID] && n.active() && f.feedsOnly(n, r.body) {
				r.body[n.ID], grown = true, true
			}
		}
	}
}

// reach are the nodes that one leads to; what stop leads to is left out.
func (f *flow) reach(from, stop string) map[string]bool {
	seen := map[string]bool{}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == stop {
			continue
		}
		for _, e := range f.outOf(todo[0]) {
			if !seen[e.Target] {
				seen[e.Target] = true
				todo = append(todo, e.Target)
			}
		}
	}
	return seen
}

// feedsOnly tells whether nothing outside the body has to do with a node beside it. A feed of
// the start's own edges runs before the loop.
func (f *flow) feedsOnly(n *node, body map[string]bool) bool {
	out := f.outOf(n.ID)
	for _, e := range out {
		if !body[e.Target] || f.byID[e.Target].Type == kindLoopStart {
			return false
		}
	}
	for _, e := range f.into(n.ID) {
		if !body[e.Source] {
			return false
		}
	}
	return len(out) > 0
}

// nest finds the innermost region of each node and the region around each region.
func (f *flow) nest() {
	f.inRegion = map[string]*region{}
	for _, r := range f.regions {
		for id := range r.body {
			if inner := f.inRegion[id]; inner == nil || len(r.body) < len(inner.body) {
				f.inRegion[id] = r
			}
		}
	}
	for _, r := range f.regions {
		for _, o := range f.regions {
			if o != r && o.body[r.start.ID] && (r.outer == nil || len(o.body) < len(r.outer.body)) {
				r.outer = o
			}
		}
	}
}

// around are the regions a node lies in, outermost first.
func (f *flow) around(id string) []*region {
	var all []*region
	for r := f.inRegion[id]; r != nil; r = r.outer {
		all = append([]*region{r}, all...)
	}
	return all
}

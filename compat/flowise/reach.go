package flowise

// repeatedByLoops are the nodes outside of iterations between what a loop goes back to and the
// loop.
func (f *flow) repeatedByLoops() []*node {
	var loops, targets []*node
	for _, n := range f.Nodes {
		if n.kind() != kindLoop || n.parent != nil {
			continue
		}
		id, _ := loopTarget(n.Data.Inputs.text("loopBackToNode"))
		if target := f.byID[id]; target != nil && target.parent == nil {
			loops, targets = append(loops, n), append(targets, target)
		}
	}
	behind := f.reached(targets, func(n *node) []string {
		var ids []string
		for _, e := range f.outOf(n) {
			ids = append(ids, e.Target)
		}
		return ids
	})
	before := f.reached(loops, func(n *node) []string {
		var ids []string
		for _, e := range f.into(n) {
			ids = append(ids, e.Source)
		}
		return ids
	})
	var out []*node
	for _, n := range f.Nodes {
		if behind[n.ID] && before[n.ID] {
			out = append(out, n)
		}
	}
	return out
}

// reached are the ids of nodes and of all that next leads to from them.
func (f *flow) reached(from []*node, next func(*node) []string) map[string]bool {
	seen := map[string]bool{}
	open := append([]*node(nil), from...)
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		for _, id := range next(n) {
			open = append(open, f.byID[id])
		}
	}
	return seen
}

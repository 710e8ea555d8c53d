package engine

import "sort"

// findBackPaths returns the NEXT paths that close a loop: those people marked `back`,
// and, for cycles that have none marked, the closing paths met by a depth-first search
// in path order: from root, then from steps not reached that no path leads to, then from
// the rest in id order. One set per definition, whatever entry a session took.
func (d *Definition) findBackPaths() map[string]bool {
	search := backSearch{d: d, back: map[string]bool{}, seen: map[string]int{}}
	for _, s := range d.steps {
		for _, p := range s.next {
			if p.Back {
				search.back[p.ID] = true
			}
		}
	}
	search.from(DefaultEntry)
	incoming := map[string]bool{}
	for _, s := range d.steps {
		for _, p := range s.next {
			incoming[p.Target] = true
		}
	}
	ids := make([]string, 0, len(d.steps))
	for id := range d.steps {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		if !incoming[id] {
			search.from(id)
		}
	}
	for _, id := range ids {
		search.from(id)
	}
	return search.back
}

// backSearch walks the graph with a stack of its own, so that a chain of a hundred
// thousand steps is no deeper than one of ten.
type backSearch struct {
	d    *Definition
	back map[string]bool
	seen map[string]int // 1 on the way, 2 done
}

func (b *backSearch) from(root string) {
	if b.d.steps[root] == nil || b.seen[root] != 0 {
		return
	}
	type frame struct {
		paths []*compiledPath
		id    string
		next  int
	}
	enter := func(id string) frame { return frame{paths: b.d.onward(b.d.steps[id]), id: id} }
	stack := []frame{enter(root)}
	b.seen[root] = 1
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(f.paths) {
			b.seen[f.id] = 2
			stack = stack[:len(stack)-1]
			continue
		}
		p := f.paths[f.next]
		f.next++
		if p.fault != "" || b.back[p.ID] {
			continue
		}
		switch b.seen[p.Target] {
		case 0:
			b.seen[p.Target] = 1
			stack = append(stack, enter(p.Target))
		case 1:
			b.back[p.ID] = true
		}
	}
}

// bits is a set of steps by index.
type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return i/64 < len(b) && b[i/64]&(1<<(i%64)) != 0 }
func (b bits) join(other bits) {
	for i := range other {
		b[i] |= other[i]
	}
}

// findRoutes computes for each step the set of steps that forward paths lead to. Forward
// paths form no cycle, so steps are done in the order their successors are done.
func (d *Definition) findRoutes() {
	var order []*compiledStep
	left := make(map[string]int, len(d.steps)) // forward paths out that are not done
	before := make(map[string][]*compiledStep, len(d.steps))
	for _, s := range d.steps {
		s.routes = newBits(len(d.steps))
		for _, p := range d.onward(s) {
			if p.fault == "" && !p.back {
				left[s.ID]++
				before[p.Target] = append(before[p.Target], s)
			}
		}
		if left[s.ID] == 0 {
			order = append(order, s)
		}
	}
	for len(order) > 0 {
		s := order[len(order)-1]
		order = order[:len(order)-1]
		for _, p := range d.onward(s) {
			if p.fault == "" && !p.back {
				target := d.steps[p.Target]
				s.routes.set(target.index)
				s.routes.join(target.routes)
			}
		}
		for _, b := range before[s.ID] {
			if left[b.ID]--; left[b.ID] == 0 {
				order = append(order, b)
			}
		}
	}
}

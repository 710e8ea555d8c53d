package graph

// findBackPaths returns the NEXT paths that close a loop: those people marked `back`,
// and, for cycles that have none marked, the closing paths met by a depth-first search
// in path order: from root, then from steps not reached that no path leads to, then from
// the rest in id order. One set per definition, whatever entry a session took.
func (d *Definition) findBackPaths() map[string]bool {
	search := backSearch{d: d, back: map[string]bool{}, seen: map[string]int{}}
	for _, s := range d.steps {
		for _, p := range s.Next {
			if p.Back {
				search.back[p.ID] = true
			}
		}
	}
	search.from(DefaultEntry)
	incoming := map[string]bool{}
	for _, s := range d.steps {
		for _, p := range s.Next {
			incoming[p.Target] = true
		}
	}
	for _, id := range d.ids {
		if !incoming[id] {
			search.from(id)
		}
	}
	for _, id := range d.ids {
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
		paths []*CompiledPath
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
		if p.Fault != "" || b.back[p.ID] {
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

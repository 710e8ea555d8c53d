package flowise

import (
	"math"
	"sort"
)

// queueOrder sorts visits of one level as Flowise's queue has them: a node's children are
// queued in the order of edges when it has run, one that several lead to when the last of them
// has. What came after an answer follows all that came before it.
func queueOrder(visits []*shownVisit) []*shownVisit {
	here := make(map[*shownVisit]bool, len(visits))
	for _, v := range visits {
		here[v] = true
	}
	var queue, out []*shownVisit
	for _, v := range visits {
		v.waits = 0
		for _, parent := range v.parents {
			if here[parent] {
				v.waits++
			}
		}
		if v.waits == 0 {
			queue = append(queue, v)
		}
	}
	for len(queue) > 0 {
		at := nextIn(queue)
		v := queue[at]
		queue = append(queue[:at:at], queue[at+1:]...)
		out = append(out, v)
		sort.SliceStable(v.children, func(i, j int) bool { return v.children[i].rank < v.children[j].rank })
		for _, child := range v.children {
			if child.waits--; child.waits == 0 && here[child] {
				queue = append(queue, child)
			}
		}
	}
	return out
}

// nextIn is the place of the visit that comes next: the first of those with the fewest answers
// before them, an open question after all.
func nextIn(queue []*shownVisit) int {
	best, least := 0, math.MaxInt
	for i, v := range queue {
		wave := v.wave
		if v.question != nil {
			wave = math.MaxInt - 1
		}
		if wave < least {
			best, least = i, wave
		}
	}
	return best
}

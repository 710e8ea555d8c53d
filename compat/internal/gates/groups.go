package gates

import (
	"math/big"
	"slices"
	"strconv"
)

// A clause is the condition of one way: the way itself, one of the ways that replace it, or one
// of the arms that do must have arrived.
type clause struct {
	way  *way
	ways *big.Int // bits by place: the ways of which one is enough, including the way itself
	arms []Arm
}

// groups returns the conditions of the ways into a node, without those that another one
// implies.
func (r *Result) groups(ways []*way) []Group {
	for _, w := range ways {
		w.decisions = r.decisionsOf(w)
	}
	var clauses []clause
	for at := range ways {
		c, led := r.clauseOf(at, ways)
		clauses = append(clauses, c)
		if len(c.arms) > 0 { // an arm excuses what it leads past only where it arrived
			clauses = append(clauses, clause{way: c.way, ways: new(big.Int).Or(c.ways, led)})
		}
	}
	var groups []Group
	for _, c := range strongest(clauses) {
		groups = append(groups, c.groups(ways)...)
	}
	return groups
}

// mostListed limits the total number of edges in the groups of one way.
const mostListed = 100_000

// groups returns the groups of one way. Where its edges arrive either all or not at all, one of
// them is enough; so is one edge of a way that replaces it.
func (c *clause) groups(ways []*way) []Group {
	var others []*way
	for at, w := range ways {
		if w != c.way && c.ways.Bit(at) == 1 {
			others = append(others, w)
		}
	}
	excuses := edgesOf(others)
	free := len(excuses) == 0 && len(c.arms) == 0
	if !free && (c.way.when.exact || len(c.way.edges)*len(excuses) > mostListed) {
		return []Group{{Edges: edgesOf(append(others, c.way)), Arms: c.arms}}
	}
	var out []Group
	for _, e := range c.way.edges {
		edges := append([]int{e}, excuses...)
		slices.Sort(edges)
		out = append(out, Group{Edges: edges, Arms: c.arms})
	}
	return out
}

func edgesOf(ways []*way) (edges []int) {
	for _, w := range ways {
		edges = append(edges, w.edges...)
	}
	slices.Sort(edges)
	return edges
}

// decisionsOf are the decisions that a way goes by.
func (r *Result) decisionsOf(w *way) []int {
	var out []int
	all := w.when.all()
	for at := range all.BitLen() {
		if all.Bit(at) == 1 {
			if node := r.arms[at].Node; len(out) == 0 || out[len(out)-1] != node {
				out = append(out, node)
			}
		}
	}
	return out
}

// clauseOf finds what excuses a way: other ways that go by another arm of a decision, and arms
// that lead to the node, but only together with what may also come without them: led.
func (r *Result) clauseOf(at int, ways []*way) (c clause, led *big.Int) {
	w := ways[at]
	c = clause{way: w, ways: new(big.Int).SetBit(new(big.Int), at, 1)}
	led = new(big.Int)
	for i, other := range ways {
		if i != at && r.apart(w.when, other.when) {
			c.ways.SetBit(c.ways, i, 1)
		}
	}
	for _, node := range w.decisions {
		for arm := range r.graph.Arms[node] {
			if by := r.ledBy(w, r.first[node]+arm, ways); by.Sign() != 0 && r.apart(w.when, r.through(node, arm)) {
				c.arms = append(c.arms, Arm{node, arm})
				led.Or(led, by)
			}
		}
	}
	return c, led
}

// ledBy are the ways by an arm that may come together with w.
func (r *Result) ledBy(w *way, arm int, ways []*way) *big.Int {
	led := new(big.Int)
	for i, other := range ways {
		if other.leads.Bit(arm) == 1 && !r.apart(w.when, other.when) {
			led.SetBit(led, i, 1)
		}
	}
	return led
}

// strongest leaves out clauses that hold whenever another one does.
func strongest(all []clause) []clause {
	implies := func(a, b *clause) bool {
		return a.singleGroup() && b.singleGroup() && subset(a.ways, b.ways) && !slices.ContainsFunc(a.arms, func(arm Arm) bool { return !slices.Contains(b.arms, arm) })
	}
	var out []clause
	for i := range all {
		weaker := false
		for j := range all {
			weaker = weaker || i != j && implies(&all[j], &all[i]) && (j < i || !implies(&all[i], &all[j]))
		}
		if !weaker {
			out = append(out, all[i])
		}
	}
	return out
}

// singleGroup reports whether the clause is one group, of all edges of its ways.
func (c *clause) singleGroup() bool { return c.way.when.exact || len(c.way.edges) == 1 }

// Names gives the groups of a node names, by the edges and arms that are part of them. An edge
// that is a group of its own needs none.
func Names(groups []Group) (edges map[int][]string, arms map[Arm][]string) {
	edges, arms = map[int][]string{}, map[Arm][]string{}
	among, named := map[int]int{}, 0
	for _, g := range groups {
		for _, e := range g.Edges {
			among[e]++
		}
	}
	for _, g := range groups {
		if len(g.Edges) == 1 && len(g.Arms) == 0 && among[g.Edges[0]] == 1 {
			continue
		}
		named++
		name := strconv.Itoa(named)
		for _, e := range g.Edges {
			edges[e] = append(edges[e], name)
		}
		for _, a := range g.Arms {
			arms[a] = append(arms[a], name)
		}
	}
	return edges, arms
}

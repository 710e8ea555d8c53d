package nebulaflow

import "math/big"

// A gate is one decision of an if/else node.
type gate struct{ node, side string }

// gates tells under which decisions nodes run, a loop as a whole as its start. Sets of
// decisions are bits: long chains of branches would fill the memory otherwise.
type gates struct {
	f     *flow
	in    map[string][]*edge // into a node, or the loop of a start: those that lie around it
	bits  map[gate]int
	all   []gate              // by their places in the sets
	needs map[string]*big.Int // what holds whenever the node runs
	known map[string]bool     // whether needs are also enough for it to run
	may   map[string]*big.Int // what lies on any way to the node
	class map[string]int      // the same for nodes that need the same
	// beside are edges that bring a value and start nothing: what they lead to runs where
	// a decision lets it, and is not to run for having another input.
	beside map[*edge]bool
	open   map[string]bool // ends of loops that a round could miss
}

func newGates(f *flow) *gates {
	g := &gates{f: f, in: map[string][]*edge{}, bits: map[gate]int{}, needs: map[string]*big.Int{}, known: map[string]bool{},
		may: map[string]*big.Int{}, class: map[string]int{}, beside: map[*edge]bool{}, open: map[string]bool{}}
	for _, e := range f.Edges {
		if f.live(e) {
			_, to := f.ends(e)
			g.in[to.ID] = append(g.in[to.ID], e)
		}
	}
	classes := map[string]int{}
	for _, n := range f.Nodes {
		needs := string(g.of(n).Bytes())
		if _, ok := classes[needs]; !ok {
			classes[needs] = len(classes)
		}
		g.class[n.ID] = classes[needs]
	}
	return g
}

// bit is the place of a decision in the sets.
func (g *gates) bit(one gate) int {
	at, ok := g.bits[one]
	if !ok {
		at = len(g.bits)
		g.bits[one], g.all = at, append(g.all, one)
	}
	return at
}

// through adds the decision an edge leaves by, if it does.
func (g *gates) through(e *edge, set *big.Int) *big.Int {
	if e.from.Type != kindIfElse {
		return set
	}
	return new(big.Int).SetBit(set, g.bit(gate{e.Source, e.SourceHandle}), 1)
}

// of computes needs: those all ways to the node that can start it have in common. They are
// enough where some way needs nothing more. The flow has no cycle.
func (g *gates) of(n *node) *big.Int {
	if needs, done := g.needs[n.ID]; done {
		return needs
	}
	needs, known := new(big.Int), true
	inside := g.f.loopAround(n)
	if len(g.in[n.ID]) > 0 {
		needs, known = g.common(n)
	} else if inside != nil { // a round begins there
		needs, known = g.of(inside.start), g.known[inside.start.ID]
	}
	if inside != nil && n == inside.end { // each round ends there
		start := g.of(inside.start)
		g.open[n.ID] = len(g.in[n.ID]) == 0 || !known || new(big.Int).AndNot(needs, start).Sign() != 0
		needs, known = start, g.known[inside.start.ID]
	}
	g.needs[n.ID], g.known[n.ID] = needs, known
	return needs
}

// common is what the ways to a node have in common.
func (g *gates) common(n *node) (needs *big.Int, known bool) {
	edges := g.in[n.ID]
	ways, exact := make([]*big.Int, len(edges)), make([]bool, len(edges))
	for i, e := range edges {
		from, _ := g.f.ends(e)
		ways[i] = g.through(e, g.of(from))
		exact[i] = g.known[from.ID]
	}
	if r := g.f.inRegion[n.ID]; r == nil || n != r.end { // each round ends there
		g.asides(edges, ways)
	}
	all := true
	for i, e := range edges {
		switch {
		case g.beside[e]:
			continue
		case needs == nil:
			needs = new(big.Int).Set(ways[i])
		default:
			needs.And(needs, ways[i])
		}
		all = all && exact[i]
	}
	for i, e := range edges {
		known = known || all && !g.beside[e] && ways[i].Cmp(needs) == 0
	}
	return needs, known
}

// mostWaysIn is how many different ways into one node are compared with one another.
const mostWaysIn = 32

// asides finds the edges into a node that start nothing: another one needs all that this one
// needs and a decision more, whose other side does not lead to the node.
func (g *gates) asides(edges []*edge, ways []*big.Int) {
	kinds := map[string]*big.Int{}
	for _, way := range ways {
		if kinds[string(way.Bytes())] = way; len(kinds) > mostWaysIn {
			return
		}
	}
	if len(kinds) < 2 {
		return
	}
	sided := g.oneSided(edges, ways)
	for i, e := range edges {
		for _, way := range kinds {
			more := new(big.Int).AndNot(way, ways[i])
			if new(big.Int).AndNot(ways[i], way).Sign() == 0 && g.decided(more.And(more, sided), ways[i]) {
				g.beside[e] = true
			}
		}
	}
}

// decided tells whether one of some decisions is made wherever a way holds: then it is known
// that the node is to run by the other edges, or not at all.
func (g *gates) decided(some, way *big.Int) bool {
	for at := range some.BitLen() {
		if some.Bit(at) == 0 {
			continue
		}
		if by := g.all[at].node; g.known[by] && new(big.Int).AndNot(g.needs[by], way).Sign() == 0 {
			return true
		}
	}
	return false
}

// oneSided are the decisions that some ways need and of which only that side leads there.
func (g *gates) oneSided(edges []*edge, ways []*big.Int) *big.Int {
	may, all, common := new(big.Int), new(big.Int), new(big.Int).Set(ways[0])
	for i, e := range edges {
		may.Or(may, g.through(e, g.mayOf(e.from)))
		all.Or(all, ways[i])
		common.And(common, ways[i])
	}
	out := all.AndNot(all, common)
	for at := range out.BitLen() {
		if out.Bit(at) == 0 {
			continue
		}
		one := g.all[at]
		if other, ok := g.bits[gate{one.node, otherSide(one.side)}]; ok && may.Bit(other) == 1 {
			out.SetBit(out, at, 0)
		}
	}
	return out
}

func otherSide(side string) string {
	if side == "true" {
		return "false"
	}
	return "true"
}

// mayOf are the decisions on any way to a node.
func (g *gates) mayOf(n *node) *big.Int {
	if may, done := g.may[n.ID]; done {
		return may
	}
	may := new(big.Int)
	for _, e := range n.in {
		may.Or(may, g.through(e, g.mayOf(e.from)))
	}
	g.may[n.ID] = may
	return may
}

// certain tells whether a node has run whenever the reader runs.
func (g *gates) certain(id, reader string) bool {
	if !g.known[id] {
		return false
	}
	return g.class[id] == g.class[reader] || new(big.Int).AndNot(g.needs[id], g.needs[reader]).Sign() == 0
}

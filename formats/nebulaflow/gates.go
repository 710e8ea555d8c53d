package nebulaflow

import "math/big"

// A gate is one decision of an if/else node.
type gate struct{ node, side string }

// gates tells under which decisions nodes run. Sets of decisions are bits: long chains of
// branches would fill the memory otherwise.
type gates struct {
	f     *flow
	bits  map[gate]int
	needs map[string]*big.Int // what holds whenever the node runs
	known map[string]bool     // whether needs are also enough for it to run
	class map[string]int      // the same for nodes that need the same
}

func newGates(f *flow) *gates {
	g := &gates{f: f, bits: map[gate]int{}, needs: map[string]*big.Int{}, known: map[string]bool{}, class: map[string]int{}}
	classes := map[string]int{}
	for _, n := range f.Nodes {
		needs := string(g.of(n.ID).Bytes())
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
		g.bits[one] = at
	}
	return at
}

// of computes needs: those all ways to the node have in common. They are enough where some
// way needs nothing more. The flow has no cycle.
func (g *gates) of(id string) *big.Int {
	if needs, done := g.needs[id]; done {
		return needs
	}
	var ways []*big.Int
	exact := true
	for _, e := range g.f.into(id) {
		way := g.of(e.Source)
		exact = exact && g.known[e.Source]
		if g.f.byID[e.Source].Type == kindIfElse {
			way = new(big.Int).SetBit(way, g.bit(gate{e.Source, e.SourceHandle}), 1)
		}
		ways = append(ways, way)
	}
	needs := new(big.Int)
	for i, way := range ways {
		if i == 0 {
			needs.Set(way)
		}
		needs.And(needs, way)
	}
	g.needs[id] = needs
	g.known[id] = len(ways) == 0
	for _, way := range ways {
		if exact && way.Cmp(needs) == 0 {
			g.known[id] = true
		}
	}
	return needs
}

// certain tells whether a node has run whenever the reader runs.
func (g *gates) certain(id, reader string) bool {
	if !g.known[id] {
		return false
	}
	return g.class[id] == g.class[reader] || new(big.Int).AndNot(g.needs[id], g.needs[reader]).Sign() == 0
}

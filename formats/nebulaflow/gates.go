package nebulaflow

// A gate is one decision of an if/else node.
type gate struct{ node, side string }

// gates tells under which decisions nodes run.
type gates struct {
	f     *flow
	needs map[string]map[gate]bool // what holds whenever the node runs
	known map[string]bool          // whether needs are also enough for it to run
}

func newGates(f *flow) *gates {
	g := &gates{f: f, needs: map[string]map[gate]bool{}, known: map[string]bool{}}
	for _, n := range f.Nodes {
		g.of(n.ID)
	}
	return g
}

// of computes needs: those all ways to the node have in common. They are enough where some
// way needs nothing more. The flow has no cycle.
func (g *gates) of(id string) map[gate]bool {
	if needs, done := g.needs[id]; done {
		return needs
	}
	var ways []map[gate]bool
	exact := true
	for _, e := range g.f.into(id) {
		way := map[gate]bool{}
		for one := range g.of(e.Source) {
			way[one] = true
		}
		exact = exact && g.known[e.Source]
		if g.f.byID[e.Source].Type == kindIfElse {
			way[gate{e.Source, e.SourceHandle}] = true
		}
		ways = append(ways, way)
	}
	needs := common(ways)
	g.needs[id] = needs
	g.known[id] = len(ways) == 0
	for _, way := range ways {
		if len(way) == len(needs) && exact {
			g.known[id] = true
		}
	}
	return needs
}

func common(ways []map[gate]bool) map[gate]bool {
	out := map[gate]bool{}
	if len(ways) == 0 {
		return out
	}
	for one := range ways[0] {
		in := true
		for _, way := range ways[1:] {
			in = in && way[one]
		}
		if in {
			out[one] = true
		}
	}
	return out
}

// certain tells whether a node has run whenever the reader runs.
func (g *gates) certain(id, reader string) bool {
	if !g.known[id] {
		return false
	}
	for one := range g.needs[id] {
		if !g.needs[reader][one] {
			return false
		}
	}
	return true
}

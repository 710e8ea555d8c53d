package nebulaflow

import (
	"github.com/stepgraph/stepgraph/compat/internal/gates"
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// Arms of an if/else, as package gates counts them.
var sides = []string{"true", "false"}

// A gating tells under which decisions nodes run, a loop as a whole as its start.
type gating struct {
	*gates.Result
	f     *flow
	in    map[string][]*edge // into a node, or the loop of a start: those that lie around it
	edges []*edge            // by their places in the graph
	into  map[int][]int      // the places of edges into a node
}

func newGating(f *flow) *gating {
	g := &gating{f: f, in: map[string][]*edge{}, into: map[int][]int{}}
	graph := &gates.Graph{}
	for _, n := range f.Nodes {
		arms, within, ends := 0, -1, false
		if n.Type == kindIfElse {
			arms = len(sides)
		}
		if around := f.loopAround(n); around != nil {
			within, ends = around.start.index, around.end == n
		}
		graph.Arms, graph.Within, graph.Ends = append(graph.Arms, arms), append(graph.Within, within), append(graph.Ends, ends)
	}
	for _, e := range f.Edges {
		if !f.live(e) {
			continue
		}
		from, to := f.ends(e)
		arm := gates.Always
		if e.from.Type == kindIfElse && from == e.from {
			arm = armOf(e)
		}
		g.in[to.ID] = append(g.in[to.ID], e)
		g.into[to.index] = append(g.into[to.index], len(g.edges))
		g.edges = append(g.edges, e)
		graph.Edges = append(graph.Edges, gates.Edge{From: from.index, To: to.index, Arm: arm})
	}
	g.Result = gates.Find(graph)
	return g
}

func armOf(e *edge) int {
	if e.SourceHandle == sides[0] {
		return 0
	}
	return 1
}

// certain reports whether a node has run whenever the reader runs.
func (g *gating) certain(from, reader *node) bool { return g.Certain(from.index, reader.index) }

// open reports whether the end of a loop could be missed by a round.
func (g *gating) open(end *node) bool { return g.Missed[end.index] }

// joins makes every step wait for all that may still lead to it, and those of nodes with
// decisions before them for what they require: a command of a branch that was not taken must
// not run for having another input.
func (c *compiler) joins() {
	required := map[string]bool{}
	for _, n := range c.flow.Nodes {
		if c.gates.Wide[n.index] {
			c.note(n, "many_branches", "more different branches lead to this node than can be told apart: it runs with any of them")
		}
		groups := c.gates.Groups[n.index]
		if groups == nil {
			continue
		}
		entrance := c.entrance(n)
		required[entrance] = true
		edges, arms := gates.Names(groups)
		for e, names := range edges {
			c.w.Paths[c.drawn[c.gates.edges[e]]].Group = names
		}
		for _, group := range groups {
			for _, arm := range group.Arms {
				if names := arms[arm]; names != nil {
					c.excuse(c.flow.Nodes[arm.Node], sides[arm.Arm], entrance, names)
					delete(arms, arm)
				}
			}
		}
	}
	for i := range c.w.Steps {
		s := &c.w.Steps[i]
		switch {
		case required[s.ID]:
			s.Join = engine.JoinRequired
		case c.incoming[s.ID] > 1:
			s.Join = engine.JoinAll
		}
	}
}

// entrance is the step that what leads to a node leads to, for the start of a loop that of the
// loop.
func (c *compiler) entrance(n *node) string {
	if r := c.flow.inRegion[n.ID]; r != nil && r.start == n {
		return c.entrances[c.loopID(r)]
	}
	return c.entrances[n.ID]
}

// excuse draws a path that is not an edge of the flow: a side of a decision that leads to a node
// together with others stands for what was not taken then.
func (c *compiler) excuse(decision *node, side, to string, groups []string) {
	extra := generated()
	extra[propertyExcuse] = true
	c.addPath(engine.Path{Kind: engine.Next, Source: decision.ID, Target: to, Label: side, Group: groups, Extra: extra,
		Condition: inputs.Encode(inputs.Of(side, inputs.RefOr(decision.ID+".result")))})
}

// clauses are what had to be taken for a node to run, any of each list: where an edge comes
// from, and by which side of a decision. What comes from outside of the loop was there.
func (g *gating) clauses(n *node, seen map[string]bool) (clauses []any, pieces int) {
	groups := g.Groups[n.index]
	if groups == nil {
		groups = []gates.Group{{}}
		groups[0].Edges = g.into[n.index]
	}
	clauses = []any{}
	for _, group := range groups {
		ways, free := []any{}, false
		for _, i := range group.Edges {
			e := g.edges[i]
			from, _ := g.f.ends(e)
			switch {
			case !seen[from.ID]:
				free = true
			case from.Type == kindIfElse:
				ways = append(ways, []any{from.ID, e.SourceHandle == sides[0]})
			default:
				ways = append(ways, []any{from.ID})
			}
		}
		for _, arm := range group.Arms {
			ways = append(ways, []any{g.f.Nodes[arm.Node].ID, arm.Arm == 0})
		}
		if !free && len(ways) > 0 {
			clauses, pieces = append(clauses, ways), pieces+len(ways)
		}
	}
	return clauses, pieces
}

package flowise

import (
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/compat/internal/gates"
	"github.com/stepgraph/stepgraph/engine"
)

// joins makes each step that several paths lead to wait for what may still come, and those of
// nodes with decisions before them for what they require: every required source and one of
// each conditional group, see package gates.
func (c *compiler) joins() {
	incoming := map[string]int{}
	for _, p := range c.w.Paths {
		if p.Kind == engine.Next && !p.Back {
			incoming[p.Target]++
		}
	}
	required := c.required()
	for i := range c.w.Steps {
		s := &c.w.Steps[i]
		switch {
		case required[s.ID]:
			s.Join = engine.JoinRequired
		case incoming[s.ID] > 1:
			s.Join = engine.JoinAll
		}
	}
}

// required groups the paths of edges into nodes that do not run with any of them, and returns
// the steps these lead to.
func (c *compiler) required() map[string]bool {
	g := c.gateGraph()
	found := gates.Find(g)
	steps := map[string]bool{}
	for at, n := range c.flow.Nodes {
		if found.Wide[at] {
			c.note(n, "many_branches", "more different branches lead to this node than can be told apart: it runs with any of them")
		}
		if found.Groups[at] == nil {
			continue
		}
		steps[c.entrances[n.ID]] = true
		edges, arms := gates.Names(found.Groups[at])
		for e, names := range edges {
			c.w.Paths[c.drawn[c.flow.Edges[e]]].Group = names
		}
		for _, group := range found.Groups[at] {
			for _, arm := range group.Arms {
				if names := arms[arm]; names != nil {
					c.excuse(c.flow.Nodes[arm.Node], arm.Arm, n, names)
					delete(arms, arm)
				}
			}
		}
	}
	return steps
}

// excuse draws a path that is not an edge of the flow: a branch of a decision that leads to a node
// together with others stands for the branches that were not taken then.
func (c *compiler) excuse(decision *node, branch int, to *node, groups []string) {
	extra := generated(nil)
	extra[propertyExcuse] = true
	p := engine.Path{Kind: engine.Next, Source: c.exits[decision.ID], Target: c.entrances[to.ID], Group: groups, Extra: extra}
	c.decision(&p, decision, &edge{SourceHandle: fmt.Sprintf("%s-output-%d", decision.ID, branch)})
	c.w.Paths = append(c.w.Paths, p)
}

// gateGraph is the flow as package gates looks at it.
func (c *compiler) gateGraph() *gates.Graph {
	g, places := &gates.Graph{}, map[*node]int{}
	for i, n := range c.flow.Nodes {
		places[n] = i
		g.Arms, g.Within, g.Ends = append(g.Arms, n.branches()), append(g.Within, -1), append(g.Ends, false)
	}
	for i, n := range c.flow.Nodes {
		if n.parent != nil {
			g.Within[i] = places[n.parent]
		}
	}
	for _, e := range c.flow.Edges { // one out of an iteration, or into one, is taken for one between the nodes
		from := places[c.flow.byID[e.Source]]
		arm := gates.Always
		if m := branchHandle.FindStringSubmatch(e.SourceHandle); m != nil && g.Arms[from] > 0 {
			arm, _ = strconv.Atoi(m[1])
			if declared := c.flow.byID[e.Source].branches(); arm >= declared { // never taken
				arm, g.Arms[from] = declared, declared+1
			}
		}
		g.Edges = append(g.Edges, gates.Edge{From: from, To: places[c.flow.byID[e.Target]], Arm: arm})
	}
	return g
}

package callcentre

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/circles"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Codes of the faults a graph is refused for. They are stable.
const (
	codeNodeID     = "node_id"
	codeDuplicate  = "duplicate_node"
	codeReserved   = "reserved_id"
	codeType       = "node_type"
	codeRouters    = "router_count"
	codeNode       = "unknown_node"
	codeSelf       = "self_loop"
	codeCycle      = "cycle"
	codeParameter  = "parameter_name"
	codeTooLarge   = "too_large"
	codeReferable  = "router_id"
	codeConnection = "connection"         // warning: an edge that offers nothing
	codeSecond     = "second_integration" // warning
	codeHandle     = "handle"             // warning: an edge's handle names nothing
	codeNoSource   = "no_integration"     // warning
	codeSilent     = "source"             // warning: an integration that lacks what it needs
)

// check validates connections: what is refused goes to faults, what only offers nothing is
// returned as warnings.
func (g *graph) check(faults *source.Faults) []engine.Problem {
	c := checker{graph: g, faults: faults, named: map[*node]map[string]bool{}}
	for _, n := range g.Nodes {
		c.node(n)
	}
	if routers := g.ofKind(kindRouter); len(routers) != 1 {
		ids := idsOf(routers)
		faults.AddFor(ids, "/nodes", codeRouters, "a graph has exactly one router, this one has %s", orNone(ids))
	}
	for _, e := range g.Edges {
		c.edge(e)
	}
	c.circles()
	for _, n := range g.ofKind(kindTool) {
		c.sources(n)
	}
	return c.warnings
}

type checker struct {
	graph    *graph
	faults   *source.Faults
	warnings []engine.Problem
	named    map[*node]map[string]bool // intents of routers, tools of departments
}

func idsOf(nodes []*node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	return ids
}

func (c *checker) atNode(n *node, pointer, code, format string, args ...any) {
	c.faults.AddFor([]string{n.ID}, fmt.Sprintf("/nodes/%d%s", n.index, pointer), code, "node %q: %s", n.ID, fmt.Sprintf(format, args...))
}

func (c *checker) atEdge(e *edge, code, format string, args ...any) {
	c.faults.AddFor([]string{e.ID}, fmt.Sprintf("/edges/%d", e.Index), code, "edge %q (%s to %s): %s", e.ID, e.Source, e.Target, fmt.Sprintf(format, args...))
}

func (c *checker) warn(step, path, code, format string, args ...any) {
	c.warnings = append(c.warnings, engine.Problem{Level: "warning", Step: step, Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) node(n *node) {
	switch {
	case n.ID == "":
		c.atNode(n, "/id", codeNodeID, "it has no id")
	case c.graph.repeated[n]:
		c.atNode(n, "/id", codeDuplicate, "another node has the same id")
	case n.ID == engine.DefaultEntry || n.ID == "initial":
		c.atNode(n, "/id", codeReserved, "this id is kept for the start of a session; give the node another")
	case n.kind == kindRouter && !referable(n.ID):
		c.atNode(n, "/id", codeReferable, "the router's id must be of letters, digits, _ and -, so that references can name the step")
	}
	switch n.kind {
	case "":
		c.atNode(n, "/type", codeType, "type %q is not known; there are routerNode, departmentNode, subAgentNode and integrationNode", n.Type)
	case kindTool:
		seen := map[string]bool{}
		for i, p := range n.Data.Parameters {
			if p.Name == "" || seen[p.Name] {
				c.atNode(n, fmt.Sprintf("/data/parameters/%d/name", i), codeParameter, "parameter %d has no name of its own", i+1)
			}
			seen[p.Name] = true
		}
	case kindIntegration:
		if what := missing(n); what != "" {
			c.warn(n.ID, "", codeSilent, "the integration has no %s, so that every access fails", what)
		}
	}
}

func (c *checker) edge(e *edge) {
	from, to := c.graph.byID[e.Source], c.graph.byID[e.Target]
	switch {
	case from == nil:
		c.atEdge(e, codeNode, "there is no node %q", e.Source)
	case to == nil:
		c.atEdge(e, codeNode, "there is no node %q", e.Target)
	case from == to:
		c.atEdge(e, codeSelf, "source and target are the same node")
	case !makesTool(from, to):
		c.warn(e.Source, e.ID, codeConnection, "a %s offers nothing to a %s; the edge is kept and does nothing", to.kind, from.kind)
	default:
		c.handle(e, from)
	}
}

// handle warns where a handle names an intent or tool that its node does not have. Handles
// are labels only: the edge makes its tool all the same.
func (c *checker) handle(e *edge, from *node) {
	prefix, names := "intent-", from.Data.Intents
	if from.kind == kindDepartment {
		prefix, names = "tool-", from.Data.Tools
	}
	name, ok := strings.CutPrefix(e.SourceHandle, prefix)
	if e.SourceHandle == "" || from.kind == kindTool || len(names) == 0 {
		return
	}
	if ok && c.has(from, name, names) {
		return
	}
	c.warn(e.Source, e.ID, codeHandle, "handle %q names nothing that the node has", e.SourceHandle)
}

// has reports whether a node has an intent or tool.
func (c *checker) has(n *node, name string, names []string) bool {
	if c.named[n] == nil {
		set := make(map[string]bool, len(names))
		for _, one := range names {
			set[one] = true
		}
		c.named[n] = set
	}
	return c.named[n][name]
}

// sources warns of tools without a source and with more than one.
func (c *checker) sources(n *node) {
	used := n.reads
	if used == nil {
		c.warn(n.ID, "", codeNoSource, "the tool has no integration: it answers with the arguments it got")
		return
	}
	for _, e := range c.graph.out[n.ID] {
		if to := c.graph.byID[e.Target]; to != nil && to.kind == kindIntegration && to != used {
			c.warn(n.ID, e.ID, codeSecond, "the tool reads %q; %q is a second integration and is not read", used.ID, to.ID)
		}
	}
}

// circles refuses departments that consult each other in a circle: each would wait for the
// other.
func (c *checker) circles() {
	departments := c.graph.ofKind(kindDepartment)
	place := make(map[*node]int, len(departments))
	for i, n := range departments {
		place[n] = i
	}
	next := make([][]int, len(departments))
	for _, e := range c.graph.Edges {
		from, known := place[c.graph.byID[e.Source]]
		to, both := place[c.graph.byID[e.Target]]
		if known && both && from != to {
			next[from] = append(next[from], to)
		}
	}
	for _, circle := range circles.Find(next) {
		ids := make([]string, len(circle))
		for i, at := range circle {
			ids[i] = departments[at].ID
		}
		c.faults.AddFor(ids, fmt.Sprintf("/nodes/%d", departments[circle[0]].index), codeCycle, "departments %s consult each other in a circle", strings.Join(ids, ", "))
	}
}

func orNone(ids []string) string {
	if len(ids) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d (%s)", len(ids), strings.Join(ids, ", "))
}

package callcentre

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties that a compiled workflow has in addition to what runs.
const (
	propertyFormat     = "source_format" // of the workflow
	propertyFile       = "source"        // of the workflow: the file without nodes and edges, JSON text
	propertyCanvas     = "canvas"        // of the workflow: nodes and edges that make nothing, JSON text
	propertyGenerated  = refit.Generated // of steps and paths the compiler added
	propertyKind       = "kind"          // of a step: router, department, tool or integration
	propertyGoal       = "goal"          // of a tool's step: that it ran well is what the call is for
	propertyParameters = "parameters"    // of a TOOL path: JSON Schema text
	propertyEdge       = refit.EdgeText  // of a path: the edge as it stood in the file, JSON text
	propertyFromPort   = refit.FromPort
	propertyToPort     = refit.ToPort
	propertyOrder      = refit.Order
)

// Parse compiles a graph. A graph with invalid connections is refused with a *source.Faults
// that lists all of them; connections without effect are warnings in Notes.
func Parse(name string, src []byte) (source.File, error) {
	g, err := readGraph(name, src)
	if err != nil {
		return source.File{}, err
	}
	faults := &source.Faults{Name: name, Src: src}
	var warnings []engine.Problem
	if faults.CheckSize("", len(g.Nodes), len(g.Edges)) {
		warnings = g.check(faults)
	}
	if err := faults.Err(); err != nil {
		return source.File{}, err
	}
	c := &compiler{graph: g, w: &engine.Workflow{}, used: map[string]bool{}, pathIDs: map[string]bool{}, faults: faults}
	c.compile(src)
	if err := faults.Err(); err != nil {
		return source.File{}, err
	}
	c.w.Normalize()
	lines := c.lines(src)
	for i := range warnings {
		warnings[i].Line = lines.Paths[warnings[i].Path]
		if warnings[i].Path == "" {
			warnings[i].Line = lines.Steps[warnings[i].Step]
		}
	}
	return source.File{Workflows: []engine.Workflow{*c.w}, Lines: []source.Lines{lines}, Notes: warnings}, nil
}

// A compiler makes the workflow of one graph that has no faults.
type compiler struct {
	graph   *graph
	w       *engine.Workflow
	used    map[string]bool // ids of steps
	pathIDs map[string]bool
	ask     string // the step that waits for the caller
	canvas  canvas
	offered int // bytes of the tool descriptions that agents get
	faults  *source.Faults
}

// mostOffered limits the tool descriptions of all agents together, in bytes: each agent gets
// the full description of each of its tools, so a small file can produce very much text.
const mostOffered = 64 << 20

// A canvas holds the parts of a file that do not run: notes, and edges that create no tools.
type canvas struct {
	Nodes []canvasItem `json:"nodes,omitempty"`
	Edges []canvasItem `json:"edges,omitempty"`
}

// A canvasItem is a node or edge as it stood in the file, and where.
type canvasItem struct {
	Order int             `json:"order"`
	JSON  json.RawMessage `json:"json"`
}

func (c *compiler) compile(src []byte) {
	for _, n := range c.graph.Nodes {
		c.used[n.ID] = true
	}
	router := c.graph.ofKind(kindRouter)[0]
	c.w.Name = or(router.Data.AgentName, router.Data.Label)
	c.converse(router)
	for _, n := range c.graph.Nodes {
		c.node(n)
	}
	for _, e := range c.graph.Edges {
		from, to := c.graph.byID[e.Source], c.graph.byID[e.Target]
		if !makesTool(from, to) || from.kind == kindTool && to != from.reads {
			c.canvas.Edges = append(c.canvas.Edges, canvasItem{e.Index, e.Raw})
		}
	}
	c.w.Extra = map[string]any{propertyFormat: Format, propertyFile: topLevel(src)}
	if len(c.canvas.Nodes)+len(c.canvas.Edges) > 0 {
		text, _ := json.Marshal(c.canvas) // raw JSON that was read from JSON
		c.w.Extra[propertyCanvas] = string(text)
	}
}

func (c *compiler) node(n *node) {
	s := engine.Step{ID: n.ID, Name: or(n.Data.Label, n.Data.AgentName), Config: string(n.raw), Extra: map[string]any{propertyKind: n.kind, propertyOrder: float64(n.index)}}
	x, y := n.Position.X, n.Position.Y
	s.X, s.Y = &x, &y
	switch n.kind {
	case kindRouter:
		c.router(&s, n)
	case kindDepartment:
		c.department(&s, n)
	case kindTool:
		c.tool(&s, n)
	case kindIntegration:
		s.Function, s.Input = "integration", inputs.Encode(integrationInput(n))
	case kindCanvas:
		c.canvas.Nodes = append(c.canvas.Nodes, canvasItem{n.index, n.raw})
		return
	}
	c.add(s)
}

func (c *compiler) add(s engine.Step) { c.w.Steps = append(c.w.Steps, s) }

// offers adds the TOOL paths of an agent. A second edge to the same target creates no second
// tool; its path has the same name.
func (c *compiler) offers(agent *node) {
	named := map[*node]tool{}
	for _, t := range c.graph.toolsOf(agent) {
		named[t.target] = t
	}
	for _, e := range c.graph.out[agent.ID] {
		t, ok := named[c.graph.byID[e.Target]]
		if !ok || c.offered > mostOffered {
			continue
		}
		if c.offered += len(t.description) + len(t.parameters); c.offered > mostOffered {
			c.faults.AddFor([]string{e.ID, t.target.ID}, fmt.Sprintf("/edges/%d", e.Index), codeTooLarge,
				"edge %q: up to here what agents are told of their tools comes to more than %d MB; shorten the description and the parameters of %q", e.ID, mostOffered>>20, t.target.ID)
			continue
		}
		p := c.path(e)
		p.Name, p.Description = t.name, t.description
		p.Extra[propertyParameters] = t.parameters
		c.w.Paths = append(c.w.Paths, p)
	}
}

// path is the TOOL path of an edge.
func (c *compiler) path(e *edge) engine.Path {
	order := float64(e.Index)
	p := engine.Path{Kind: engine.Tool, Source: e.Source, Target: e.Target, Priority: &order,
		Extra: map[string]any{propertyEdge: string(e.Raw), propertyOrder: order}}
	if e.SourceHandle != "" {
		p.Extra[propertyFromPort] = e.SourceHandle
		p.Label = e.SourceHandle
	}
	if e.TargetHandle != "" {
		p.Extra[propertyToPort] = e.TargetHandle
	}
	if e.ID != "" && !c.pathIDs[e.ID] {
		p.ID, p.Stored = e.ID, true
		c.pathIDs[e.ID] = true
	}
	return p
}

// lines maps the steps and paths of the file to their positions.
func (c *compiler) lines(src []byte) source.Lines {
	out, index := source.Lines{Steps: map[string]int{}, Paths: map[string]int{}}, source.NewIndex(src)
	for _, n := range c.graph.Nodes {
		out.Steps[n.ID] = index.Line(fmt.Sprintf("/nodes/%d", n.index))
	}
	for _, e := range c.graph.Edges {
		if e.ID != "" {
			out.Paths[e.ID] = index.Line(fmt.Sprintf("/edges/%d", e.Index))
		}
	}
	return out
}

// topLevel is a file without its nodes and edges.
func topLevel(src []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(src, &all) != nil {
		return "{}"
	}
	delete(all, "nodes")
	delete(all, "edges")
	text, _ := json.Marshal(all) // raw JSON that was read from JSON
	return string(text)
}

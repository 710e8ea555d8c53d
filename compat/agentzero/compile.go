package agentzero

import (
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties that a compiled workflow has in addition to what runs.
const (
	propertyFormat    = "source_format" // of the workflow
	propertyFlow      = "source"        // of the workflow: the flow without nodes and edges, JSON text
	propertyGenerated = refit.Generated // of steps and paths the compiler added
	propertyVariable  = "output_variable"
	propertyEdge      = refit.EdgeText // of a path: the edge as it stood in the file, JSON text
	propertyFromPort  = refit.FromPort
	propertyToPort    = refit.ToPort
	propertyOrder     = refit.Order
)

// givenPrompt is the reference to the prompt that a session was started with.
const givenPrompt = "initial.prompt"

// Parse compiles a flow. A flow with faults is refused with a *source.Faults that lists all of
// them; for invalid JSON the error has file, line and column.
func Parse(name string, src []byte) (source.File, error) {
	f, err := readFlow(name, src)
	if err != nil {
		return source.File{}, err
	}
	faults := &source.Faults{Name: name, Src: src}
	if faults.CheckSize("", len(f.Nodes), len(f.Edges)+len(f.dropped)) {
		f.check(faults)
	}
	if err := faults.Err(); err != nil {
		return source.File{}, err
	}
	c := &compiler{flow: f, used: map[string]bool{}, helpers: map[string]string{}, edges: map[string]bool{}}
	w := c.compile()
	w.Extra[propertyFlow] = topLevel(src)
	w.Normalize()
	return source.File{Workflows: []engine.Workflow{*w}, Lines: []source.Lines{c.lines(src)}, Notes: c.notes}, nil
}

// A compiler compiles one flow without faults to a workflow.
type compiler struct {
	flow  *flow
	w     *engine.Workflow
	used  map[string]bool // ids of steps
	edges map[string]bool // ids of paths
	notes []engine.Problem
	// helpers maps the purpose of a generated step to its id.
	helpers map[string]string
}

func (c *compiler) compile() *engine.Workflow {
	c.w = &engine.Workflow{Name: c.flow.Name, Description: c.flow.Description, Extra: map[string]any{propertyFormat: Format}}
	for _, n := range c.flow.Nodes {
		c.used[n.ID] = true
	}
	for _, e := range c.flow.Edges {
		c.edges[e.ID] = false // not taken yet
	}
	c.begin(c.flow.ofKind(kindInput)[0])
	entrance := map[*node]string{}
	for _, n := range c.flow.Nodes {
		entrance[n] = c.node(n)
	}
	for _, e := range c.flow.Edges {
		c.edge(e, entrance[c.flow.byID[e.Target]])
	}
	for _, g := range c.flow.ofKind(kindGroup) {
		c.contains(g)
	}
	return c.w
}

// begin generates the steps from the start of a session to the input node: a question if the
// session was started without a prompt.
func (c *compiler) begin(in *node) {
	if in.ID == engine.DefaultEntry {
		return
	}
	c.used[engine.DefaultEntry] = true
	c.add(engine.Step{ID: engine.DefaultEntry, Name: "Start", Extra: generated()})
	if in.fixed() {
		c.link(engine.DefaultEntry, in.ID, nil)
		return
	}
	ask := c.askID(in)
	c.add(engine.Step{ID: ask, Name: "Ask for the prompt", Function: "utils.request.request", Extra: generated(), Input: inputs.Encode(inputs.Of(
		"prompt", inputs.Literal(in.label()), "schema", inputs.Of("type", "string", "pattern", `\S`)))})
	c.link(engine.DefaultEntry, in.ID, inputs.Of("true", inputs.RefOr(givenPrompt)))
	c.link(engine.DefaultEntry, ask, inputs.Of("false", inputs.RefOr(givenPrompt)))
	c.link(ask, in.ID, nil)
}

// askID is the step that asks for a runtime prompt.
func (c *compiler) askID(in *node) string { return c.helper(in.ID + "-ask") }

func (c *compiler) add(s engine.Step) { c.w.Steps = append(c.w.Steps, s) }

// link adds a generated path.
func (c *compiler) link(from, to string, condition any) {
	p := engine.Path{Kind: engine.Next, Source: from, Target: to, Extra: generated()}
	if condition != nil {
		p.Condition = inputs.Encode(condition)
	}
	c.w.Paths = append(c.w.Paths, p)
}

func generated() map[string]any { return map[string]any{propertyGenerated: true} }

// helper returns the id of a generated step: always the same for the same purpose, and
// different from all node ids.
func (c *compiler) helper(purpose string) string { return c.helperAs(purpose, purpose) }

// helperAs is helper with a preferred id.
func (c *compiler) helperAs(purpose, wanted string) string {
	if id := c.helpers[purpose]; id != "" {
		return id
	}
	id := wanted
	for n := 2; c.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", wanted, n)
	}
	c.used[id], c.helpers[purpose] = true, id
	return id
}

// edge adds the path of an edge. An edge out of a child of a group starts at the group,
// because the child's output is available when the group has ended.
func (c *compiler) edge(e *edge, entrance string) {
	from := c.flow.byID[e.Source]
	order := float64(e.Index)
	p := engine.Path{Kind: engine.Next, Source: from.ID, Target: entrance, Priority: &order, Extra: c.ports(e)}
	if from.group != nil {
		p.Source = from.group.ID
	}
	c.name(&p, e)
	if from.kind == kindCondition {
		p.Condition = inputs.Encode(inputs.Of(e.SourceHandle, inputs.Ref(from.ID+".result")))
		p.Label = from.Data.TrueLabel
		if e.SourceHandle == "false" {
			p.Label = from.Data.FalseLabel
		}
	}
	c.w.Paths = append(c.w.Paths, p)
}

// name gives a path the id of its edge, unless another path has it.
func (c *compiler) name(p *engine.Path, e *edge) {
	if e.ID != "" && !c.edges[e.ID] {
		p.ID, p.Stored = e.ID, true
		c.edges[e.ID] = true
	}
}

func (c *compiler) ports(e *edge) map[string]any {
	extra := map[string]any{propertyEdge: string(e.Raw), propertyOrder: float64(e.Index)}
	if e.SourceHandle != "" {
		extra[propertyFromPort] = e.SourceHandle
	}
	if e.TargetHandle != "" {
		extra[propertyToPort] = e.TargetHandle
	}
	return extra
}

// contains adds the CONTAINS paths from a group to its children, in the order of the file.
func (c *compiler) contains(g *node) {
	for i, child := range g.children {
		order := float64(i)
		p := engine.Path{Kind: engine.Contains, Source: g.ID, Target: child.ID, Priority: &order}
		if e := c.flow.draws[child.ID]; e != nil {
			p.Extra = c.ports(e)
			c.name(&p, e)
		}
		c.w.Paths = append(c.w.Paths, p)
	}
}

// lines returns the positions of the steps and paths in the file.
func (c *compiler) lines(src []byte) source.Lines {
	out, index := source.Lines{Steps: map[string]int{}, Paths: map[string]int{}}, source.NewIndex(src)
	for _, n := range c.flow.Nodes {
		out.Steps[n.ID] = index.Line(fmt.Sprintf("/nodes/%d", n.index))
	}
	for _, e := range append(append([]*edge(nil), c.flow.Edges...), c.flow.dropped...) {
		if e.ID != "" {
			out.Paths[e.ID] = index.Line(fmt.Sprintf("/edges/%d", e.Index))
		}
	}
	return out
}

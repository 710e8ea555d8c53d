package flowise

import (
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties that a compiled workflow has in addition to what runs.
const (
	propertyFormat    = "source_format" // of the workflow
	propertySource    = "source"        // of the workflow: the document without nodes and edges, JSON text
	propertyNotes     = "notes"         // of the workflow: its sticky notes, JSON text
	propertyGenerated = refit.Generated // of steps and paths the compiler added
	propertyOf        = refit.Of        // of a generated step: the node it belongs to
	propertyExcuse    = "excuse"        // of a path: it is not an edge of the flow, see excuse
	propertyEdge      = refit.EdgeText  // of a path: the edge as it stood in the file, JSON text
	propertyFromPort  = refit.FromPort
	propertyToPort    = refit.ToPort
	propertyOrder     = refit.Order
)

// maxExecutions is how many nodes one run may execute.
const maxExecutions = 1000

// Parse compiles a document. A document with faults is refused with a *source.Faults that
// lists all of them; for invalid JSON the error has file, line and column.
func Parse(name string, src []byte) (source.File, error) {
	f, err := readFlow(name, src)
	if err != nil {
		return source.File{}, err
	}
	faults := &source.Faults{Name: name, Src: src}
	f.check(faults)
	if err := faults.Err(); err != nil {
		return source.File{}, err
	}
	c := newCompiler(f)
	w := c.compile()
	w.Extra[propertySource] = withoutGraph(f.document)
	if len(f.notes) > 0 {
		w.Extra[propertyNotes] = c.stickyNotes()
	}
	return source.File{Workflows: []engine.Workflow{*w}, Lines: []source.Lines{c.lines(src)}, Notes: c.problems}, nil
}

// A compiler makes one workflow of one flow that has no faults. It makes the steps of most
// nodes itself; modelNodes and tools make those of models and of their tools, values write the
// references in their inputs, and all of them add to one builder.
type compiler struct {
	*values
	tools  *tools
	models *modelNodes
	drawn  map[*edge]int   // the places of the paths of edges
	paths  map[string]bool // ids of paths
}

// A builder holds the workflow as it grows: its steps and paths, and the names in use.
type builder struct {
	flow      *flow
	w         *engine.Workflow
	used      map[string]bool   // ids of steps and of values kept in addition to them
	helpers   map[string]string // ids of generated steps by purpose
	entrances map[string]string // the step that paths into a node lead to
	exits     map[string]string // the step that paths out of a node leave from
	steps     map[string][]string
	toFill    map[string]bool // notes that were made
	problems  []engine.Problem
}

// values translate variables of the flow into references, and collect what steps in front of a
// node have to compute for them.
type values struct {
	*builder
	needs    map[string]*needs      // what steps in front of a node compute, by node
	updating *node                  // whose update of the state is compiled
	items    map[string]*itemValues // by iteration
	lists    map[string]bool        // agents whose usedTools a variable names
}

// modelNodes compile the nodes that call a model.
type modelNodes struct {
	*values
	tools *tools
}

// tools compile what agents may call, and the nodes that call a tool directly.
type tools struct{ *values }

func newCompiler(f *flow) *compiler {
	b := &builder{flow: f, used: map[string]bool{}, helpers: map[string]string{}, entrances: map[string]string{}, exits: map[string]string{},
		steps: map[string][]string{}, toFill: map[string]bool{}}
	v := &values{builder: b, needs: map[string]*needs{}, items: map[string]*itemValues{}, lists: map[string]bool{}}
	t := &tools{v}
	c := &compiler{values: v, tools: t, models: &modelNodes{v, t}, drawn: map[*edge]int{}, paths: map[string]bool{}}
	for name := range reserved {
		c.used[name] = true
	}
	for _, n := range f.Nodes {
		c.used[n.ID] = true
	}
	return c
}

func (c *compiler) compile() *engine.Workflow {
	c.w = &engine.Workflow{ID: c.flow.ID, Name: c.flow.Name, Extra: map[string]any{propertyFormat: Format}}
	for _, n := range c.flow.Nodes {
		c.entrances[n.ID], c.exits[n.ID] = n.ID, n.ID
		c.node(n)
		c.compute(n)
	}
	for _, n := range c.flow.Nodes {
		if n.kind() == kindLoop {
			c.back(n)
		}
	}
	for _, e := range c.flow.Edges {
		c.edge(e)
	}
	for _, n := range c.flow.Nodes {
		if n.kind() == kindIteration {
			c.body(n)
		}
	}
	c.listCalls()
	c.answers()
	c.begin()
	c.joins()
	c.noteDangling()
	c.lint()
	c.w.Settings.MaxSteps = c.mostSteps()
	c.w.Normalize()
	return c.w
}

// begin makes the step a session starts at.
func (c *compiler) begin() {
	c.add(nil, engine.Step{ID: engine.DefaultEntry, Name: "Start", Extra: generated(nil)})
	c.link(engine.DefaultEntry, c.entrances[c.flow.start().ID])
}

// mostSteps converts the limit of node executions to a limit of steps. Nodes that loops repeat
// may be several steps each; all others run once.
func (c *compiler) mostSteps() int {
	nodes, steps := 0, 0
	for _, n := range c.flow.repeatedByLoops() {
		nodes, steps = nodes+1, steps+len(c.steps[n.ID])
	}
	once := len(c.w.Steps) - steps
	if nodes == 0 {
		return maxExecutions + once
	}
	return int(math.Ceil(maxExecutions*float64(steps)/float64(nodes))) + once
}

// add puts a step into the workflow, on behalf of a node.
func (b *builder) add(n *node, s engine.Step) {
	if n != nil {
		b.steps[n.ID] = append(b.steps[n.ID], s.ID)
	}
	b.w.Steps = append(b.w.Steps, s)
}

// before puts a generated step in front of the steps that lead to a node so far.
func (b *builder) before(n *node, s engine.Step) {
	s.Extra, s.OnError = generated(n), b.onError(n)
	b.add(n, s)
	b.link(s.ID, b.entrances[n.ID])
	b.entrances[n.ID] = s.ID
}

// after puts a generated step behind a node and what follows it so far.
func (b *builder) after(n *node, s engine.Step) {
	s.Extra, s.OnError = generated(n), b.onError(n)
	b.add(n, s)
	b.link(b.exits[n.ID], s.ID)
	b.exits[n.ID] = s.ID
}

// onError: the first error ends the run; in an iteration it ends the round.
func (b *builder) onError(n *node) string {
	if n.parent != nil {
		return engine.OnErrorStopPath
	}
	return engine.OnErrorFailSession
}

// link draws a path of our own.
func (b *builder) link(from, to string) {
	b.w.Paths = append(b.w.Paths, engine.Path{Kind: engine.Next, Source: from, Target: to, Extra: generated(nil)})
}

func generated(n *node) map[string]any {
	if n == nil {
		return map[string]any{propertyGenerated: true}
	}
	return map[string]any{propertyGenerated: true, propertyOf: n.ID}
}

// helper returns the id of a generated step, or of a session value: always the same for the
// same purpose, and different from all node ids.
func (b *builder) helper(purpose string) string {
	if id := b.helpers[purpose]; id != "" {
		return id
	}
	id := purpose
	for n := 2; b.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", purpose, n)
	}
	b.used[id], b.helpers[purpose] = true, id
	return id
}

// local is the name of a value of the runtime a node runs in: iterations have their own.
func (b *builder) local(n *node, value string) string {
	if n.parent == nil {
		return value
	}
	return b.helper(n.parent.ID + "-" + value)
}

// edge draws the path of an edge. Children run in the order of the edges.
func (c *compiler) edge(e *edge) {
	from := c.flow.byID[e.Source]
	order := float64(e.Index)
	p := engine.Path{Kind: engine.Next, Source: c.exits[e.Source], Target: c.entrances[e.Target], Priority: &order,
		Extra: map[string]any{propertyEdge: string(e.Raw), propertyOrder: order}}
	if e.SourceHandle != "" {
		p.Extra[propertyFromPort] = e.SourceHandle
	}
	if e.TargetHandle != "" {
		p.Extra[propertyToPort] = e.TargetHandle
	}
	if e.ID != "" && !c.paths[e.ID] {
		p.ID, p.Stored, c.paths[e.ID] = e.ID, true, true
	}
	if from.decides() {
		c.decision(&p, from, e)
	}
	c.drawn[e] = len(c.w.Paths)
	c.w.Paths = append(c.w.Paths, p)
}

// stickyNotes are kept for the way back.
func (b *builder) stickyNotes() string {
	list := []any{}
	for _, n := range b.flow.notes {
		list = append(list, n.raw)
	}
	return inputs.Encode(list)
}

// lines maps the steps and paths of the file to their positions; none where they stand in a text
// within it.
func (b *builder) lines(src []byte) source.Lines {
	out := source.Lines{Steps: map[string]int{}, Paths: map[string]int{}}
	if len(b.flow.document) != len(src) {
		return out
	}
	for _, n := range b.flow.Nodes {
		out.Steps[n.ID], _ = source.Locate(src, b.flow.pointer(n))
	}
	for _, e := range b.flow.Edges {
		if e.ID != "" {
			out.Paths[e.ID], _ = source.Locate(src, fmt.Sprintf("%s/edges/%d", b.flow.at, e.Index))
		}
	}
	return out
}

// note warns of something in a node, once.
func (b *builder) note(n *node, code, format string, args ...any) {
	p := engine.Problem{Level: "warning", Code: code, Message: fmt.Sprintf(format, args...)}
	if n != nil {
		p.Step = n.ID
	}
	if key := p.Step + p.Code + p.Message; !b.toFill[key] {
		b.toFill[key] = true
		b.problems = append(b.problems, p)
	}
}

package nebulaflow

import (
	"fmt"
	"os"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties that a compiled workflow has in addition to what runs.
const (
	propertyFormat    = "source_format" // of the workflow
	propertySource    = "source"        // of the workflow: the file without nodes and edges, JSON text
	propertyGenerated = refit.Generated // of steps and paths the compiler added
	propertyEdge      = refit.EdgeText  // of a path: the edge as it stood in the file, JSON text
	propertyFromPort  = refit.FromPort
	propertyToPort    = refit.ToPort
	propertyOrder     = refit.Order
	propertyConsent   = "approval_options" // of a step: how its approval is asked for, JSON text
	propertyExcuse    = "excuse"           // of a path: it is not an edge of the flow, see excuse
)

// Values of the key onError of a file, which NebulaFlow takes from who runs it.
const (
	failFast         = "fail-fast"
	continueSubgraph = "continue-subgraph"
)

// Parse compiles a workflow or subflow file. A file with faults is refused with a
// *source.Faults that lists all of them; for invalid JSON the error has file, line and column.
func Parse(name string, src []byte) (source.File, error) {
	f, err := readFlow(name, src)
	if err != nil {
		return source.File{}, err
	}
	faults := &source.Faults{Name: name, Src: src}
	if f.checkSize(faults) {
		f.check(faults)
	}
	if err := faults.Err(); err != nil {
		return source.File{}, err
	}
	c := newCompiler(f)
	w := c.compile()
	if err := c.tooMuch(faults); err != nil {
		return source.File{}, err
	}
	w.Extra[propertySource] = topLevel(src)
	return source.File{Workflows: []engine.Workflow{*w}, Lines: []source.Lines{c.lines(src)}, Notes: c.notes, Saved: c.saved()}, nil
}

// A compiler makes one workflow of one flow that has no faults: it makes the steps of nodes,
// values write the inputs of these steps, and both add to one builder.
type compiler struct {
	*values
	drawn map[*edge]int   // the places of the paths of edges
	edges map[string]bool // ids of paths
}

// A builder holds the workflow as it grows: its steps and paths, and the names in use.
type builder struct {
	flow      *flow
	w         *engine.Workflow
	ready     map[string]float64
	used      map[string]bool // ids of steps and of values kept in addition to them
	helpers   map[string]string
	entrances map[string]string // the step that paths into a node or a loop lead to
	incoming  map[string]int    // paths into a step
	follows   map[string]string // the step that a helper precedes
	suffixes  map[string]int    // of helpers that would have the same id, by that id
	spent     int               // bytes of text, see spend
	over      *node             // where they became too many
	notes     []engine.Problem
}

// values translate what nodes read from other nodes, variables and loops into references.
type values struct {
	*builder
	gates        *gating
	variables    map[string]bool // names that variable nodes set
	accumulators map[string]bool
	inlined      map[view]text
	given        []text // the inputs of a node that runs alone
}

// disableParallel is the environment variable with which NebulaFlow runs one node at a time.
const disableParallel = "NEBULAFLOW_DISABLE_HYBRID_PARALLEL"

// oneByOne reports whether a flow makes one call at a time: where the file says so, else where
// the environment of the program that loads it does.
func (f *flow) oneByOne() bool {
	if f.Parallel != nil {
		return !*f.Parallel
	}
	switch strings.ToLower(strings.TrimSpace(os.Getenv(disableParallel))) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

func newCompiler(f *flow) *compiler {
	b := &builder{flow: f, ready: f.ready(), used: map[string]bool{}, helpers: map[string]string{}, entrances: map[string]string{},
		incoming: map[string]int{}, follows: map[string]string{}, suffixes: map[string]int{}}
	v := &values{builder: b, gates: newGating(f), variables: map[string]bool{}, accumulators: map[string]bool{}, inlined: map[view]text{}}
	c := &compiler{values: v, drawn: map[*edge]int{}, edges: map[string]bool{}}
	for _, n := range f.Nodes {
		c.used[n.ID] = true
		switch n.Type {
		case kindVariable:
			c.variables[n.Data.VariableName] = n.Data.VariableName != ""
		case kindAccumulator:
			c.accumulators[n.Data.VariableName] = n.Data.VariableName != ""
		}
	}
	return c
}

func (c *compiler) compile() *engine.Workflow {
	f := c.flow
	c.w = &engine.Workflow{ID: f.ID, Name: f.Title, Extra: map[string]any{propertyFormat: Format}}
	if f.oneByOne() {
		c.w.Settings.StepsAtOnce = 1
	}
	for _, n := range f.Nodes {
		c.node(n)
	}
	for _, r := range f.regions {
		c.region(r)
	}
	for _, e := range f.Edges {
		if f.live(e) {
			c.edge(e)
		}
	}
	for _, r := range f.regions {
		c.closing(r)
		c.contains(r)
	}
	c.begin()
	for i := range f.Outputs {
		c.outPort(i)
	}
	c.joins()
	c.lint()
	return c.w
}

// begin makes the step a session starts at, with a path to each node nothing leads to.
func (c *compiler) begin() {
	if c.flow.byID[engine.DefaultEntry] != nil && c.flow.byID[engine.DefaultEntry].active() {
		return // check has seen that it is the only beginning
	}
	c.add(engine.Step{ID: engine.DefaultEntry, Name: "Start", Extra: generated()})
	ids := make(map[string]string, len(c.entrances))
	for id, entrance := range c.entrances {
		ids[entrance] = id
	}
	loops := map[string]*region{}
	for _, r := range c.flow.regions {
		loops[c.loopID(r)] = r
	}
	begun := map[string]bool{}
	for _, s := range c.w.Steps {
		id, entrance := ids[s.ID]
		if s.ID == engine.DefaultEntry || s.Inactive || c.incoming[s.ID] > 0 || !entrance || begun[s.ID] {
			continue
		}
		if at, ok := c.topLevel(id, loops[id]); ok {
			begun[s.ID] = true
			c.link(engine.DefaultEntry, s.ID, &at, nil)
		}
	}
}

// topLevel reports whether a node or loop runs outside of loops, and its place among those ready.
func (b *builder) topLevel(id string, loop *region) (place float64, ok bool) {
	if loop != nil {
		return b.ready[loop.start.ID], loop.outer == nil
	}
	return b.ready[id], b.flow.inRegion[id] == nil
}

func (b *builder) add(s engine.Step) { b.w.Steps = append(b.w.Steps, s) }

func (b *builder) addPath(p engine.Path) {
	if p.Kind == engine.Next {
		b.incoming[p.Target]++
	}
	b.w.Paths = append(b.w.Paths, p)
}

// link draws a path of our own.
func (b *builder) link(from, to string, priority *float64, condition any) {
	p := engine.Path{Kind: engine.Next, Source: from, Target: to, Priority: priority, Extra: generated()}
	if condition != nil {
		p.Condition = inputs.Encode(condition)
	}
	b.addPath(p)
}

func generated() map[string]any { return map[string]any{propertyGenerated: true} }

// generatedFor marks a step that the compiler added for a node: an edit of it is written back to
// that node.
func generatedFor(n *node) map[string]any {
	return map[string]any{propertyGenerated: true, refit.Of: n.ID}
}

// helper is the id of a step beside the nodes, or of a value kept beside their outputs:
// always the same for the same purpose, and never that of a node. References can name it.
func (b *builder) helper(purpose string) string {
	if id := b.helpers[purpose]; id != "" {
		return id
	}
	plain := idText(purpose)
	id, n := plain, max(b.suffixes[plain], 2)
	for ; b.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", plain, n)
	}
	b.suffixes[plain] = n
	b.used[id], b.helpers[purpose] = true, id
	return id
}

// idText makes a text one that references can name.
func idText(text string) string {
	return strings.Map(func(r rune) rune {
		if referable(string(r)) {
			return r
		}
		return '_'
	}, text)
}

func (b *builder) loopID(r *region) string          { return b.helper(r.start.ID + "-loop") }
func (b *builder) variableID(name string) string    { return b.helper("var-" + name) }
func (b *builder) accumulatorID(name string) string { return b.helper("acc-" + name) }

// edge draws the path of an edge. One that crosses the border of a loop leaves from the loop,
// or leads to it: the loop begins when all that feeds it is there and goes on when it ends.
func (c *compiler) edge(e *edge) {
	left, entered := c.flow.borders(e)
	order := c.ready[e.Target]
	p := engine.Path{Kind: engine.Next, Source: e.Source, Target: c.entrances[e.Target], Priority: &order, Extra: map[string]any{propertyEdge: string(e.raw), propertyOrder: float64(e.index)}}
	if left != nil {
		p.Source = c.loopID(left)
	}
	if entered != nil {
		p.Target = c.entrances[c.loopID(entered)]
	}
	if e.SourceHandle != "" {
		p.Extra[propertyFromPort] = e.SourceHandle
	}
	if e.TargetHandle != "" {
		p.Extra[propertyToPort] = e.TargetHandle
	}
	if e.ID != "" && !c.edges[e.ID] {
		p.ID, p.Stored, c.edges[e.ID] = e.ID, true, true
	}
	c.condition(&p, e)
	c.drawn[e] = len(c.w.Paths)
	c.addPath(p)
}

// condition says when the path of an edge is taken: out of an if/else by its decision, out of
// the start of a while loop only into a round.
func (c *compiler) condition(p *engine.Path, e *edge) {
	switch {
	case e.from.Type == kindIfElse:
		p.Condition = inputs.Encode(inputs.Of(e.SourceHandle, inputs.RefOr(e.Source+".result")))
		p.Label = e.SourceHandle
	case e.from.Type == kindLoopStart && e.from.Data.LoopMode == loopWhile:
		p.Condition = inputs.Encode(c.roundBegins(e.from))
	}
}

// lines maps the steps and paths of the file to their positions.
func (b *builder) lines(src []byte) source.Lines {
	out, index := source.Lines{Steps: map[string]int{}, Paths: map[string]int{}}, source.NewIndex(src)
	for _, n := range b.flow.Nodes {
		out.Steps[n.ID] = index.Line(fmt.Sprintf("%s/nodes/%d", b.flow.at, n.index))
	}
	for _, e := range b.flow.Edges {
		if e.ID != "" {
			out.Paths[e.ID] = index.Line(fmt.Sprintf("%s/edges/%d", b.flow.at, e.index))
		}
	}
	return out
}

func (b *builder) note(n *node, code, format string, args ...any) {
	b.notes = append(b.notes, engine.Problem{Level: "warning", Step: n.ID, Code: code, Message: fmt.Sprintf(format, args...)})
}

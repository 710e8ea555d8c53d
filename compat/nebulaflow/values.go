package nebulaflow

import (
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// values are the inputs of a node, in the order in which its templates count them. In a loop
// those that may be left from an earlier round are gathered by a step of their own.
func (c *compiler) values(n *node) []text {
	if c.given != nil {
		return c.given
	}
	var all []text
	var stale []*edge
	for _, e := range c.flow.inputs(n) {
		if c.stale(e, n) {
			all = append(all, ref(fmt.Sprintf("%s.result[%d]", c.helper(n.ID+"-in"), len(stale)), false))
			stale = append(stale, e)
			continue
		}
		all = append(all, c.valueOf(e, n))
	}
	if len(stale) > 0 {
		c.gather(n, stale)
	}
	return all
}

// valueOf is what an edge brings to a reader. A text node is read anew by each of its readers,
// where it is certain to have run; of everything else the result is read.
func (c *compiler) valueOf(e *edge, reader *node) text {
	from := c.flow.byID[e.Source]
	switch {
	case !from.active():
		return nil
	case from.Type == kindText && !from.Data.Bypass && c.gates.certain(from, reader):
		return c.inline(from, reader)
	case from.Type == kindSubflow:
		if k := portOf(e.SourceHandle, "out-"); k < math.MaxInt {
			return ref(fmt.Sprintf("%s.outputs[%d].text", from.ID, k), false)
		}
	}
	switch from.Type {
	case kindText, kindLLM, kindPreview:
		return ref(from.ID+".text", true)
	}
	return ref(from.ID+".text", false)
}

// maxPieces bounds what text nodes that read one another may grow to in one reader; beyond it
// the reader gets the result.
const maxPieces = 1000

// A view is a text node as some readers see it: those that run under the same decisions in
// the same loop see the same.
type view struct {
	from   string
	needs  int
	around *region
}

// inline is the template of a text node as a reader sees it.
func (c *compiler) inline(from, reader *node) text {
	key := view{from.ID, c.gates.Class(reader.index), c.flow.inRegion[reader.ID]}
	if known, ok := c.inlined[key]; ok || !c.spend(reader, textSize) {
		return known
	}
	var values []text
	for _, in := range c.flow.inputs(from) {
		values = append(values, c.valueOf(in, reader))
	}
	out := c.template(from.Data.Content, values, reader)
	if len(out) > maxPieces {
		out = ref(from.ID+".text", true)
	}
	c.inlined[key] = out
	return out
}

// stale reports whether what a reader would find is perhaps the result of an earlier round of a
// loop that both lie in.
func (c *compiler) stale(e *edge, reader *node) bool {
	from := c.source(e)
	r := c.flow.loopAround(from)
	return r != nil && r.has(reader) && e.from.active() && !c.gates.certain(from, reader)
}

// source is where an edge comes from, the start of a loop for all that lies in it.
func (c *compiler) source(e *edge) *node {
	from, _ := c.flow.ends(e)
	return from
}

// gatherScript empties the texts of the nodes that did not run in this round: a node ran where
// one edge of each list was taken.
const gatherScript = `ran = {}
for n in nodes:
    taken = [[w for w in ways if ran.get(w[0], True) and (len(w) == 1 or decisions[w[0]] == w[1])] for ways in n["from"]]
    ran[n["id"]] = all([len(ways) > 0 for ways in taken])
result = [s["text"] if ran[s["id"]] else "" for s in sources]
`

// gather makes the step that brings a reader only what this round has made.
func (c *compiler) gather(reader *node, stale []*edge) {
	if c.over != nil {
		return
	}
	var sources, nodes []any
	decisions := inputs.Of()
	above := &above{c: c, seen: map[string]bool{}}
	for _, e := range stale {
		from := c.source(e)
		sources = append(sources, inputs.Of("id", from.ID, "text", c.whole(reader, c.valueOf(e, reader))))
		above.add(from)
	}
	for _, n := range above.nodes {
		ways, pieces := c.gates.clauses(n, above.seen)
		if !c.spend(reader, (1+pieces)*(len(n.ID)+waySize)) {
			return
		}
		nodes = append(nodes, inputs.Of("id", n.ID, "from", ways))
		if n.Type == kindIfElse {
			decisions = append(decisions, inputs.Field{Name: n.ID, Value: inputs.RefOr(n.ID + ".result")})
		}
	}
	c.before(reader, engine.Step{ID: c.helper(reader.ID + "-in"), Name: "Input of " + reader.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", gatherScript, "variables", inputs.Of("sources", sources, "nodes", nodes, "decisions", decisions), "raise", true))})
}

// above collects nodes and all that leads to them inside the same loop, each after what leads
// to it; a loop in there is its start.
type above struct {
	c     *compiler
	seen  map[string]bool
	nodes []*node
}

func (a *above) add(n *node) {
	if a.seen[n.ID] {
		return
	}
	a.seen[n.ID] = true
	for _, e := range a.c.gates.in[n.ID] {
		if from := a.c.source(e); a.c.flow.loopAround(from) == a.c.flow.loopAround(n) {
			a.add(from)
		}
	}
	a.nodes = append(a.nodes, n)
}

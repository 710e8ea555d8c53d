package nebulaflow

import (
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/internal/inputs"
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
		if c.stale(e.Source, n) {
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
	case from.Type == kindText && !from.Data.Bypass && c.gates.certain(from.ID, reader.ID):
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
	key := view{from.ID, c.gates.class[reader.ID], c.flow.inRegion[reader.ID]}
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

// stale tells whether what a reader would find is perhaps the result of an earlier round.
func (c *compiler) stale(id string, reader *node) bool {
	r := c.flow.inRegion[id]
	return r != nil && r == c.flow.inRegion[reader.ID] && c.flow.byID[id].active() && !c.gates.certain(id, reader.ID)
}

// gatherScript empties the texts of the nodes that did not run in this round: a node ran where
// one of the edges into it was taken.
const gatherScript = `ran = {}
for n in nodes:
    ways = [w for w in n["from"] if ran.get(w[0], True) and (len(w) == 1 or decisions[w[0]] == w[1])]
    ran[n["id"]] = len(n["from"]) == 0 or len(ways) > 0
result = [s["text"] if ran[s["id"]] else "" for s in sources]
`

// gather makes the step that brings a reader only what this round has made.
func (c *compiler) gather(reader *node, stale []*edge) {
	var sources, nodes []any
	decisions := inputs.Of()
	wanted := map[string]bool{}
	for _, e := range stale {
		sources = append(sources, inputs.Of("id", e.Source, "text", c.whole(reader, c.valueOf(e, reader))))
		c.above(e.Source, wanted)
	}
	for _, id := range c.flow.ordered(wanted) {
		ways := []any{}
		for _, e := range c.flow.into(id) {
			switch {
			case !wanted[e.Source] || c.gates.beside[e]:
			case c.flow.byID[e.Source].Type == kindIfElse:
				ways = append(ways, []any{e.Source, e.SourceHandle == "true"})
			default:
				ways = append(ways, []any{e.Source})
			}
		}
		if !c.spend(reader, (1+len(ways))*len(id)) {
			return
		}
		nodes = append(nodes, inputs.Of("id", id, "from", ways))
		if c.flow.byID[id].Type == kindIfElse {
			decisions = append(decisions, inputs.Field{Name: id, Value: inputs.RefOr(id + ".result")})
		}
	}
	c.before(reader.ID, engine.Step{ID: c.helper(reader.ID + "-in"), Name: "Input of " + reader.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", gatherScript, "variables", inputs.Of("sources", sources, "nodes", nodes, "decisions", decisions), "raise", true))})
}

// above collects a node and all that leads to it inside the same loop.
func (c *compiler) above(id string, into map[string]bool) {
	if into[id] {
		return
	}
	into[id] = true
	for _, e := range c.flow.into(id) {
		if c.flow.inRegion[e.Source] == c.flow.inRegion[id] {
			c.above(e.Source, into)
		}
	}
}

package nebulaflow

import (
	"fmt"
	"math"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// inputsOf returns the inputs of a node, in the order in which its templates count them. In a loop
// those that may be left from an earlier round are gathered by a step of their own.
func (v *values) inputsOf(n *node) []text {
	if v.given != nil {
		return v.given
	}
	var all []text
	var stale []*edge
	for _, e := range v.flow.inputs(n) {
		if v.stale(e, n) {
			all = append(all, ref(fmt.Sprintf("%s.result[%d]", v.helper(n.ID+"-in"), len(stale)), false))
			stale = append(stale, e)
			continue
		}
		all = append(all, v.valueOf(e, n))
	}
	if len(stale) > 0 {
		v.gather(n, stale)
	}
	return all
}

// valueOf is what an edge brings to a reader. A text node is read anew by each of its readers,
// where it is certain to have run; of everything else the result is read.
func (v *values) valueOf(e *edge, reader *node) text {
	from := v.flow.byID[e.Source]
	switch {
	case !from.active():
		return nil
	case from.Type == kindText && !from.Data.Bypass && v.gates.certain(from, reader):
		return v.inline(from, reader)
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
func (v *values) inline(from, reader *node) text {
	key := view{from.ID, v.gates.Class(reader.index), v.flow.inRegion[reader.ID]}
	if known, ok := v.inlined[key]; ok || !v.spend(reader, textSize) {
		return known
	}
	var values []text
	for _, in := range v.flow.inputs(from) {
		values = append(values, v.valueOf(in, reader))
	}
	out := v.template(from.Data.Content, values, reader)
	if len(out) > maxPieces {
		out = ref(from.ID+".text", true)
	}
	v.inlined[key] = out
	return out
}

// stale reports whether what a reader would find is perhaps the result of an earlier round of a
// loop that both lie in.
func (v *values) stale(e *edge, reader *node) bool {
	from := v.source(e)
	r := v.flow.loopAround(from)
	return r != nil && r.has(reader) && e.from.active() && !v.gates.certain(from, reader)
}

// source is where an edge comes from, the start of a loop for all that lies in it.
func (v *values) source(e *edge) *node {
	from, _ := v.flow.ends(e)
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
func (v *values) gather(reader *node, stale []*edge) {
	if v.over != nil {
		return
	}
	var sources, nodes []any
	decisions := inputs.Of()
	above := &above{v: v, seen: map[string]bool{}}
	for _, e := range stale {
		from := v.source(e)
		sources = append(sources, inputs.Of("id", from.ID, "text", v.whole(reader, v.valueOf(e, reader))))
		above.add(from)
	}
	for _, n := range above.nodes {
		ways, pieces := v.gates.clauses(n, above.seen)
		if !v.spend(reader, (1+pieces)*(len(n.ID)+waySize)) {
			return
		}
		nodes = append(nodes, inputs.Of("id", n.ID, "from", ways))
		if n.Type == kindIfElse {
			decisions = append(decisions, inputs.Field{Name: n.ID, Value: inputs.RefOr(n.ID + ".result")})
		}
	}
	v.before(reader, engine.Step{ID: v.helper(reader.ID + "-in"), Name: "Input of " + reader.title(), Function: "utils.code.code",
		Input: inputs.Encode(inputs.Of("code", gatherScript, "variables", inputs.Of("sources", sources, "nodes", nodes, "decisions", decisions), "raise", true))})
}

// above collects nodes and all that leads to them inside the same loop, each after what leads
// to it; a loop in there is its start.
type above struct {
	v     *values
	seen  map[string]bool
	nodes []*node
}

func (a *above) add(n *node) {
	if a.seen[n.ID] {
		return
	}
	a.seen[n.ID] = true
	for _, e := range a.v.gates.in[n.ID] {
		if from := a.v.source(e); a.v.flow.loopAround(from) == a.v.flow.loopAround(n) {
			a.add(from)
		}
	}
	a.nodes = append(a.nodes, n)
}

package agentzero

import (
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// gathers reports whether a node needs a generated step that builds its input: if several
// edges lead to it and some may not be taken, if the value of its one edge may be missing, or
// if an output is not passed on unchanged.
func (c *compiler) gathers(n *node) bool {
	if n.group != nil {
		return false // a child gets what its group gets
	}
	in := c.flow.into(n)
	return len(in) > 1 || len(in) == 1 && c.flow.byID[in[0].Source].group != nil || n.kind == kindOutput && n.format() != "raw"
}

func (c *compiler) gatherID(n *node) string { return c.helper(n.ID + "-in") }

// gatherScript joins the texts of the sources that ran and, for a condition, whose edge was
// taken, in the order of the file. Empty texts are left out, as in Agent Zero. A value that is
// not an object is a session input with the name of a node that did not run.
const gatherScript = `texts = []
for s in sources:
    out = s["from"]
    if type(out) == "dict" and s.get("branch", "") in ("", out.get("branch", "")):
        texts.append(out["text"])
result = "\n\n".join([t for t in texts if t])
`

// Scripts that format the joined text for an output node.
var formatScripts = map[string]string{
	"raw":      "result = {\"text\": result}\n",
	"markdown": "result = {\"text\": result.strip()}\n",
	"json":     "result = {\"text\": result, \"value\": json.decode(result, default = {\"result\": result})}\n",
}

// gather generates the step that builds the input of a node.
func (c *compiler) gather(n *node) string {
	var sources []any
	for _, e := range c.flow.into(n) {
		one := inputs.Of("from", inputs.RefOr(e.Source))
		if c.flow.byID[e.Source].kind == kindCondition {
			one = one.With("branch", e.SourceHandle)
		}
		sources = append(sources, one)
	}
	script := gatherScript
	if n.kind == kindOutput {
		script += formatScripts[n.format()]
	}
	if sources == nil {
		sources = []any{}
	}
	id := c.gatherID(n)
	c.add(engine.Step{ID: id, Name: "Input of " + n.label(), Function: "utils.code.code", Join: engine.JoinAll, Extra: generated(),
		Input: inputs.Encode(inputs.Of("code", script, "variables", inputs.Of("sources", sources), "raise", true))})
	c.link(id, n.ID, nil)
	return id
}

// inputOf refers to the text a node gets.
func (c *compiler) inputOf(n *node) string {
	if n.group != nil {
		return c.inputOf(n.group)
	}
	if c.gathers(n) {
		path := c.gatherID(n) + ".result"
		if n.kind == kindOutput {
			path += ".text"
		}
		return inputs.Ref(path)
	}
	for _, e := range c.flow.into(n) {
		return inputs.Ref(e.Source + ".text")
	}
	return "" // no edge leads to the node, so it never runs
}

package flowise

import (
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// answers adds the output of nodes without successors to the chat, because it is the flow's
// answer. Direct replies and models do that themselves; a condition or an HTTP request has no
// text.
func (c *compiler) answers() {
	for _, n := range c.flow.Nodes {
		if !c.last(n) {
			continue
		}
		there := inputs.Of("true", inputs.RefOr(c.shown(n)))
		switch n.kind() {
		case kindTool, kindRetriever, kindCustomFunction, kindExecuteFlow, kindIteration:
		case kindLoop:
			there = inputs.Of("false", inputs.RefOr(n.ID+".again"))
		default:
			continue
		}
		say := engine.Step{ID: c.helper(n.ID + "-answer"), Name: "Answer of " + n.label(), Function: "template", OnError: c.onError(n), Extra: generated(n),
			Input: inputs.Encode(inputs.Of("template", inputs.RefOr(c.shown(n)), "say", true))}
		c.add(nil, say)
		c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Next, Source: c.exits[n.ID], Target: say.ID, Condition: inputs.Encode(there), Extra: generated(nil)})
	}
}

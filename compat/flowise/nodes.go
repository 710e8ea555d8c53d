package flowise

import (
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// node makes the step of a node and the generated ones that belong to it.
func (c *compiler) node(n *node) {
	x, y := n.Position.X, n.Position.Y
	s := engine.Step{ID: n.ID, Name: n.label(), Config: string(n.raw), OnError: c.onError(n), X: &x, Y: &y, Extra: map[string]any{propertyOrder: float64(n.index)}}
	switch n.kind() {
	case kindStart:
		c.start(&s, n)
	case kindLLM, kindAgent:
		c.models.model(&s, n)
	case kindTool:
		c.tools.toolNode(&s, n)
	case kindRetriever:
		c.tools.retriever(&s, n)
	case kindHTTP:
		c.http(&s, n)
	case kindCondition:
		c.condition(&s, n)
	case kindConditionAgent:
		c.models.conditionAgent(&s, n)
	case kindHumanInput:
		c.humanInput(&s, n)
	case kindDirectReply:
		s.Function = "template"
		s.Input = inputs.Encode(inputs.Of("template", c.setting(n, n.Data.Inputs, "directReplyMessage").value(), "say", true))
	case kindLoop:
		c.loop(&s, n)
	case kindIteration:
		c.iteration(&s, n)
	case kindCustomFunction:
		c.customFunction(&s, n)
	case kindExecuteFlow:
		c.executeFlow(&s, n)
	}
	c.add(n, s)
	c.behind(n)
}

// behind puts the steps after a node that keep what it leaves.
func (c *compiler) behind(n *node) {
	switch n.kind() {
	case kindHumanInput:
		c.resume(n)
	case kindExecuteFlow:
		c.remember(n)
		c.updateState(n, "executeFlowUpdateState")
	case kindLLM:
		c.updateState(n, "llmUpdateState")
	case kindAgent:
		c.updateState(n, "agentUpdateState")
	case kindTool:
		c.updateState(n, "toolUpdateState")
	case kindRetriever:
		c.updateState(n, "retrieverUpdateState")
	case kindLoop:
		c.updateState(n, "loopUpdateState")
	case kindCustomFunction:
		c.updateState(n, "customFunctionUpdateState")
	}
}

// last reports whether nothing follows a node: what it says then is the flow's answer.
func (v *values) last(n *node) bool { return n.parent == nil && len(v.flow.outOf(n)) == 0 }

// script is a step of ours that runs Starlark and gives its result as output.
func script(id, name, code string, variables inputs.Object, globals ...any) engine.Step {
	in := inputs.Of("code", code, "variables", variables, "as_output", true)
	if len(globals) > 0 {
		in = in.With("globals", globals)
	}
	return engine.Step{ID: id, Name: name, Function: "code", Input: inputs.Encode(in)}
}

// list is a reference to a list of messages, an empty text where there is none.
func list(name string) string { return inputs.RefOr(name) }

// lowerName is how a node is named in the chat.
func lowerName(n *node) string {
	if n.Data.Label == "" {
		return n.ID
	}
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' {
			return '_'
		}
		return r
	}, strings.ToLower(n.Data.Label))
}

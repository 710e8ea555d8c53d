package agentzero

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/expressions"
)

// node makes the step of a node and the steps before it, and returns the step that
// edges into the node lead to.
func (c *compiler) node(n *node) (entrance string) {
	s := engine.Step{ID: n.ID, Name: n.Data.Label, Config: string(n.raw), Extra: map[string]any{propertyOrder: float64(n.index)}}
	x, y := n.place()
	s.X, s.Y = &x, &y
	entrance = n.ID
	if c.gathers(n) {
		entrance = c.gather(n)
	}
	switch n.kind {
	case kindInput:
		s.Function, s.Input = "template", inputs.Encode(c.prompt(n))
	case kindAgent:
		c.agent(&s, n)
	case kindGroup:
		c.group(&s, n)
	case kindCondition:
		s.Function, s.OnError = "condition", engine.OnErrorFailSession
		s.Input = inputs.Encode(inputs.Of("expression", inputs.Literal(strings.TrimSpace(n.Data.Expression)), "input", c.inputOf(n), "variables", c.variables(n)))
	case kindOutput:
		c.output(&s, n)
	}
	c.add(s)
	return entrance
}

// place is where a node stands on the canvas; in the file a child stands relative to its
// group.
func (n *node) place() (x, y float64) {
	x, y = n.Position.X, n.Position.Y
	if n.group != nil && n.ParentID == n.group.ID {
		gx, gy := n.group.place()
		x, y = x+gx, y+gy
	}
	return x, y
}

// prompt is the input of an input node.
func (c *compiler) prompt(n *node) inputs.Object {
	switch {
	case n.fixed():
		return inputs.Of("template", inputs.Literal(n.Data.FixedPrompt))
	case n.ID == engine.DefaultEntry:
		return inputs.Of("template", inputs.Ref(givenPrompt))
	}
	return inputs.Of("template", inputs.Ref(c.askID(n)+".response")+"|"+inputs.RefOr(givenPrompt))
}

// fieldEmptyError is the field of an agent's input that makes an empty answer a failure.
const fieldEmptyError = "empty_error"

// fieldProfileOptional is the field by which an agent runs without a profile that is not
// configured.
const fieldProfileOptional = "profile_optional"

// agent sets the function and input of an agent's step. An agent without input calls no model.
// Outside a group the first failed agent ends the session; in a group the others continue.
func (c *compiler) agent(s *engine.Step, n *node) {
	s.Function = "agent.agentzero"
	if n.group == nil {
		s.OnError = engine.OnErrorFailSession
	}
	given := c.inputOf(n)
	var prompt any = given
	if text := n.override(); text != "" {
		prompt = inputs.Joined("\n\n", inputs.Literal(text), given)
	}
	in := inputs.Of("prompt", prompt, "unless_empty", given)
	if profile := n.profile(); profile != "" {
		in = in.With("profile", inputs.Literal(profile)).With(fieldProfileOptional, true)
	}
	if n.group != nil && n.group.merge() == mergeFirst { // an empty answer must not win
		in = in.With(fieldEmptyError, "empty_answer")
	}
	if model := strings.TrimSpace(n.Data.Model); model != "" {
		in = in.With("model", inputs.Literal(model))
	}
	s.Input = inputs.Encode(in)
	if v := strings.TrimSpace(n.Data.OutputVariable); v != "" {
		s.Extra[propertyVariable] = v
		switch {
		case !identifier(v) || v == inputName:
			c.note(n, "output_variable", "outputVariable %q is not a name that an expression can use", v)
		case slices.Contains(expressions.Functions(), v):
			c.note(n, "output_variable", "outputVariable %q hides the function of that name from expressions", v)
		}
	}
	for i, tool := range n.Data.Tools {
		c.tool(n, strings.TrimSpace(tool), i, generated())
	}
	if len(n.Data.Tools) == 0 {
		c.allowedTools(n)
	}
}

// allowedTools adds TOOL paths to an agent that names no tools. Agent Zero gives such an agent
// all tools. Here it gets the functions without side effects; the profile's list of tools
// replaces them, and only the profile can allow those marked on_request.
func (c *compiler) allowedTools(n *node) {
	c.tool(n, "calculate", 0, generated())
	onRequest := generated()
	onRequest[propertyOnRequest] = true
	c.tool(n, "api", 1, onRequest)
}

// propertyOnRequest is a property of a TOOL path that function agent reads.
const propertyOnRequest = "on_request"

// responseTool is the tool with which an Agent Zero agent ends its turn; here an agent ends by
// answering.
const responseTool = "response"

// tool draws the path to a tool of the whitelist: a step that calls the function of that
// name, which the operator has registered.
func (c *compiler) tool(n *node, name string, order int, extra map[string]any) {
	if name == responseTool {
		return
	}
	_, known := c.helpers["tool-"+name]
	step := c.helperAs("tool-"+name, "tool-"+idText(name))
	if !known {
		c.add(engine.Step{ID: step, Name: name, Function: name, Extra: generated()})
	}
	at := float64(order)
	c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Tool, Source: n.ID, Target: step, Name: name, Priority: &at, Extra: extra})
}

// idText converts a text to one that can be used in references.
func idText(text string) string {
	return strings.Map(func(r rune) rune {
		if referable(string(r)) {
			return r
		}
		return '_'
	}, text)
}

// summarizePrompt stands before what the children of a group have written.
const summarizePrompt = "Synthesize the following outputs of agents that worked side by side into one coherent answer:"

// group fills in the step of a group. One without children passes its input on.
func (c *compiler) group(s *engine.Step, n *node) {
	if len(n.children) == 0 {
		s.Function, s.Input = "template", inputs.Encode(inputs.Of("template", c.inputOf(n)))
		c.note(n, "empty_group", "the group has no children and passes its input on")
		return
	}
	s.Function, s.OnError = "group", engine.OnErrorFailSession
	in := inputs.Of("merge", n.merge(), "concurrency", n.concurrency())
	if n.merge() == mergeSummarize {
		in = in.With("prompt", summarizePrompt)
	}
	s.Input = inputs.Encode(in)
}

// output fills in the step of the output node, which says the flow's result.
func (c *compiler) output(s *engine.Step, n *node) {
	text := c.inputOf(n)
	in := inputs.Of("message", text, "text", text)
	if n.format() == "json" {
		in = in.With("value", inputs.Ref(c.gatherID(n)+".result.value"))
	}
	s.Function, s.Input = "utils.reply.reply", inputs.Encode(in)
}

func (c *compiler) note(n *node, code, format string, args ...any) {
	c.notes = append(c.notes, engine.Problem{Level: "warning", Step: n.ID, Code: code, Message: fmt.Sprintf(format, args...)})
}

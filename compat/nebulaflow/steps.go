package nebulaflow

import (
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// propertyBypassOutput is what a bypassed step gives that has no seed: see engine.
const propertyBypassOutput = "bypass_output"

// node makes the step of a node and the steps in front of it.
func (c *compiler) node(n *node) {
	s := engine.Step{ID: n.ID, Name: n.title(), Config: string(n.raw), OnError: c.onError(), Extra: map[string]any{propertyOrder: float64(n.index)}}
	x, y := n.Position.X, n.Position.Y
	s.X, s.Y = &x, &y
	c.entrances[n.ID] = n.ID
	if !n.active() {
		s.Inactive = true
		c.add(s)
		return
	}
	if n.Data.Bypass {
		s.Bypass = true
		s.Extra[propertyBypassOutput] = `{"text":""}`
		c.loopNode(n)
		c.add(s)
		return
	}
	values := c.inputsOf(n)
	content := func() text { return c.template(n.Data.Content, values, n) }
	switch n.Type {
	case kindText:
		s.Function, s.Input = "template", inputs.Encode(inputs.Of("template", content().value(), "trim", true))
	case kindPreview:
		s.Function, s.Input = "template", inputs.Encode(inputs.Of("template", c.joined(n, values).value(), "trim", true))
	case kindLoopStart, kindLoopEnd, kindOutput:
		s.Function, s.Input = "template", inputs.Encode(inputs.Of("template", c.joined(n, values).value()))
		c.loopNode(n)
	case kindInput:
		s.Function, s.Input = "template", inputs.Encode(inputs.Of("template", inputs.RefOr(inPort(c.flow.inputIndex(n)))))
	case kindVariable:
		c.variable(&s, n, content())
	case kindAccumulator:
		c.accumulator(&s, n, content())
	case kindLLM:
		c.agent(&s, n, values, content())
	case kindCLI:
		c.shell(&s, n, values)
	case kindIfElse:
		c.ifElse(&s, n, values)
	case kindSubflow:
		c.subflow(&s, n, values)
	}
	c.add(s)
}

// onError: by default the first error ends the run, as NebulaFlow has it.
func (b *builder) onError() string {
	if b.flow.OnError == continueSubgraph {
		return engine.OnErrorStopPath
	}
	return engine.OnErrorFailSession
}

// before puts a helper step in front of the steps that lead to a node so far.
func (b *builder) before(n *node, s engine.Step) { b.inFront(n.ID, n, s) }

// inFront puts a helper step of a node in front of the steps that lead to step id so far.
func (b *builder) inFront(id string, n *node, s engine.Step) {
	s.Extra, s.OnError = generatedFor(n), b.onError()
	b.add(s)
	b.link(s.ID, b.entrances[id], nil, nil)
	b.follows[s.ID], b.entrances[id] = b.entrances[id], s.ID
}

// variable keeps its text as a global as well.
func (c *compiler) variable(s *engine.Step, n *node, content text) {
	c.keep(s, c.variableID(n.Data.VariableName), content.value())
}

// accumulator adds a line to what has gathered under its name. The first line is empty unless
// there is something to begin with.
func (c *compiler) accumulator(s *engine.Step, n *node, content text) {
	id := c.accumulatorID(n.Data.VariableName)
	if strings.TrimSpace(n.Data.InitialValue) != n.Data.InitialValue || strings.Contains(n.Data.InitialValue, "@{") {
		c.note(n, "initial_value", "initialValue begins without the blanks at its ends")
	}
	before := text{{ref: inputs.RefOr(id) + strings.TrimSpace(n.Data.InitialValue)}}
	c.keep(s, id, append(append(before, lit("\n")...), content...).value())
}

func (c *compiler) keep(s *engine.Step, name string, value any) {
	s.Function, s.Input = "variable", inputs.Encode(inputs.Of("text", value, "globals", inputs.Of(name, value)))
}

// agent fills in the step of an llm node.
func (c *compiler) agent(s *engine.Step, n *node, values []text, content text) {
	s.Function = "agent"
	if strings.TrimSpace(n.Data.Content) == "" && len(values) > 0 {
		content = values[0]
	}
	prompt, rest := content.trim()
	given := c.whole(n, prompt)
	if rest {
		id := c.helper(n.ID + "-prompt")
		c.before(n, engine.Step{ID: id, Name: "Prompt of " + n.title(), Function: "template", Input: inputs.Encode(inputs.Of("template", given, "trim", true))})
		given = inputs.Ref(id + ".text")
	}
	in := inputs.Of("prompt", given)
	if n.Data.SystemPromptTemplate != "" {
		in = in.With("system", inputs.Literal(n.Data.SystemPromptTemplate))
	}
	if n.Data.Model != nil && n.Data.Model.ID != "" {
		in = in.With("model", inputs.Literal(n.Data.Model.ID))
	}
	in = in.With("reasoning_effort", effort(n.Data.ReasoningEffort)).With("trim", true)
	if images := c.images(n); len(images) > 0 {
		in = in.With("images", images)
	}
	s.Input, s.Timeout = inputs.Encode(in), timeout(n.Data.TimeoutSec)
	c.tools(n)
}

func effort(given string) string {
	switch given {
	case "minimal", "low", "high":
		return given
	}
	return "medium"
}

// timeout of an llm node: 300 seconds when nothing is said, none when it is 0.
func timeout(given *seconds) string {
	switch {
	case given == nil:
		return "300s"
	case *given <= 0:
		return ""
	}
	return strconv.FormatFloat(float64(*given), 'f', -1, 64) + "s"
}

// subflow runs the workflow whose id is that of the subflow.
func (c *compiler) subflow(s *engine.Step, n *node, values []text) {
	given, outputs := inputs.Of(), []any{}
	for i := range max(len(values), int(n.Data.InputPortCount)) {
		var value any = ""
		if i < len(values) {
			value = c.whole(n, values[i])
		}
		given = append(given, inputs.Field{Name: inPort(i), Value: value})
	}
	for i := range c.outputCount(n) {
		outputs = append(outputs, outPort(i))
	}
	s.Function = "subflow"
	s.Input = inputs.Encode(inputs.Of("workflow", n.Data.SubflowID, "inputs", given, "outputs", outputs))
}

// outputCount is how many outputs of its subflow a node has.
func (c *compiler) outputCount(n *node) int {
	count := max(int(n.Data.OutputPortCount), 1)
	for _, e := range c.flow.outOf(n.ID) {
		if k := portOf(e.SourceHandle, "out-"); k < 1000 {
			count = max(count, k+1)
		}
	}
	return count
}

func inPort(i int) string  { return "port-in-" + strconv.Itoa(i) }
func outPort(i int) string { return "port-out-" + strconv.Itoa(i) }

// inputIndex is the place of a boundary node's port in the list, which decides.
func (f *flow) inputIndex(n *node) int {
	if i, ok := f.portsIn[n.Data.PortID]; ok {
		return i
	}
	return -1
}

// portIndex are the places of ports by their ids.
func portIndex(ports []port) map[string]int {
	places := map[string]int{}
	for i, p := range ports {
		if _, again := places[p.ID]; !again {
			places[p.ID] = i
		}
	}
	return places
}

// outPort makes the step that shows an output of a subflow to who runs it.
func (v *values) outPort(i int) {
	for _, n := range v.flow.Nodes {
		if n.Type == kindOutput && n.Data.PortID == v.flow.Outputs[i].ID {
			v.add(engine.Step{ID: outPort(i), Name: v.flow.Outputs[i].Name, Function: "template", Extra: generated(),
				Input: inputs.Encode(inputs.Of("template", inputs.RefOr(n.ID+".text")))})
			v.link(n.ID, outPort(i), nil, nil)
			return
		}
	}
}

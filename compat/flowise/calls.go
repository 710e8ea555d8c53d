package flowise

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

func decodeQuietly(raw json.RawMessage, into any) bool { return json.Unmarshal(raw, into) == nil }

// flowFailed is the text of a flow that failed: what its caller reads there.
const flowFailed = `{
  "statusCode": 500,
  "success": false,
  "message": "Error: predictionsServices.buildChatflow - {message}",
  "stack": {}
}`

// executeFlow runs another flow in a session of its own.
func (c *compiler) executeFlow(s *engine.Step, n *node) {
	in := n.Data.Inputs
	input := inputs.Of("workflow", inputs.Literal(in.text("executeFlowSelectedFlow")), "inputs", inputs.Of(valueQuestion, c.setting(n, in, "executeFlowInput").value()),
		"on_error", "output", "error_text", flowFailed)
	if in.text("executeFlowOverrideConfig") != "" || in.object("executeFlowOverrideConfig") != nil {
		c.note(n, "override", "what it overrides in the flow it executes does not reach it here")
	}
	if in.text("executeFlowBaseURL") != "" {
		c.note(n, "base_url", "the flow %q runs in this engine, not at %s", in.text("executeFlowSelectedFlow"), in.text("executeFlowBaseURL"))
	}
	s.Function, s.Input = "subflow.flowise", inputs.Encode(input)
}

// rememberScript adds a call of another flow to the talk.
const rememberScript = `result = {
    "text": text,
    chat: (so_far if type(so_far) == "list" else []) + [{"role": "user", "content": asked}, {"role": role, "content": text, "name": name}],
}
`

// remember keeps what another flow was asked and said.
func (c *compiler) remember(n *node) {
	chat := c.local(n, valueChat)
	asked := c.setting(n, n.Data.Inputs, "executeFlowInput").value()
	c.after(n, script(c.helper(n.ID+"-said"), "What "+n.label()+" said", rememberScript, inputs.Of("so_far", list(chat), "asked", asked,
		"text", inputs.RefOr(n.ID+".text"), "role", roleOf(n.Data.Inputs.text("executeFlowReturnResponseAs")), "name", lowerName(n), "chat", chat), chat))
}

package flowise

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// Input types of a start.
const (
	startForm     = "formInput"
	startWebhook  = "webhookTrigger"
	startSchedule = "scheduleInput"
)

// formScript writes a form as lines; without one it is the question.
const formScript = `def text(v):
    if type(v) == "string":
        return v
    return json.encode(v)
input = question
if type(form) == "dict" and len(form) > 0:
    input = "\n".join([k + ": " + text(form[k]) for k in form])
result = {"input": input, "said": input}
`

// stateScript lays the state of the turn before over what the start declares.
const stateScript = `state = dict(declared)
if type(before) == "dict":
    state.update(before)
result = {"state": state}
`

// start makes the state anew and says what the person gave.
func (c *compiler) start(s *engine.Step, n *node) {
	in := n.Data.Inputs
	input := c.startInput(n)
	var output inputs.Object
	switch in.text("startInputType") {
	case startForm:
		output = inputs.Of("form", inputs.RefOr(valueInput))
	case startWebhook:
		output = inputs.Of("webhook", inputs.RefOr(valueWebhook), "question", input)
	default:
		output = inputs.Of("question", input)
	}
	globals := inputs.Of(valueState, c.declaredState(n))
	if in.flag("startEphemeralMemory") {
		output, globals = output.With("ephemeralMemory", true), globals.With(valuePast, []any{})
	}
	if in.flag("startPersistState") {
		output = output.With("persistState", true)
		globals[0].Value = inputs.Ref(c.priorState(n) + ".state")
	}
	s.Function, s.Input = "variable", inputs.Encode(inputs.Of("set", output, "globals", globals))
}

// startInput is what the person gave, as text; a step in front of the start keeps it.
func (c *compiler) startInput(n *node) any {
	in := n.Data.Inputs
	id := c.helper(n.ID + "-input")
	var input any
	switch in.text("startInputType") {
	case startForm:
		c.before(n, script(id, "Form as text", formScript, inputs.Of("form", inputs.RefOr(valueForm), "question", inputs.RefOr(valueQuestion)), valueInput, valueSaid))
		return inputs.Ref(id + ".input")
	case startWebhook:
		switch in.text("webhookInputMode") {
		case "none":
			input = " "
		case "payload":
			input = inputs.Of("@text", []any{inputs.RefOr(valueWebhook + ".body")})
		default:
			input = c.template(n, in.text("webhookDefaultInput")).value()
		}
	case startSchedule:
		switch in.text("scheduleInputMode") {
		case "none":
			input = " "
		default:
			input = inputs.Ref(valueQuestion) + "|" + in.text("scheduleDefaultInput")
		}
	default:
		input = inputs.RefOr(valueQuestion)
	}
	said := input
	if text, plain := input.(string); plain && text == inputs.RefOr(valueQuestion) {
		said = inputs.Ref(valueAsked) + "|" + text // what is said in the chat is the question without the files
	}
	globals := inputs.Of(valueInput, input, valueSaid, said)
	if in.text("startInputType") == startWebhook {
		globals = globals.With(valueQuestion, input)
	}
	c.before(n, engine.Step{ID: id, Name: "Input", Function: "variable", Input: inputs.Encode(inputs.Of("globals", globals))})
	return inputs.Ref(valueInput)
}

// declaredState is the state a start declares. Its values are not resolved.
func (c *compiler) declaredState(n *node) inputs.Object {
	rows, _ := n.Data.Inputs.rows("startState")
	state := inputs.Of()
	for _, row := range rows {
		state = state.Set(row.text("key"), inputs.Of("@literal", literal(row["value"])))
	}
	return state
}

// literal is a stored value as it is, an absent one as an empty text.
func literal(raw json.RawMessage) any {
	if len(raw) == 0 {
		return ""
	}
	return raw
}

// priorState makes the step that takes over the state of the turn before.
func (c *compiler) priorState(n *node) string {
	id := c.helper(n.ID + "-state")
	c.before(n, script(id, "State so far", stateScript, inputs.Of("declared", c.declaredState(n), "before", inputs.RefOr(valueState))))
	return id
}

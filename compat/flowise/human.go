package flowise

import (
	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// defaultDescription is asked where a human input describes nothing.
const defaultDescription = "Do you want to proceed?"

// humanInput asks a person to proceed or to reject, with what was said last above it.
func (c *compiler) humanInput(s *engine.Step, n *node) {
	in := n.Data.Inputs
	var prompt any
	if in.text("humanInputDescriptionType") == "dynamic" {
		prompt = inputs.Ref(c.models.describe(n) + ".text")
	} else {
		description := c.setting(n, in, "humanInputDescription")
		if description == nil {
			description = lit(defaultDescription)
		}
		prompt = append(text{{ref: c.computed(n, needLast)}, {lit: "\n\n"}}, description...).value()
	}
	s.Function = "confirm"
	s.Input = inputs.Encode(inputs.Of("prompt", prompt, "confirm_text", "proceed", "deny_text", "reject", "feedback", true))
}

// describe makes the step in front of a human input in which a model writes what is asked.
func (m *modelNodes) describe(n *node) string {
	in := n.Data.Inputs
	id := m.helper(n.ID + "-prompt")
	user := m.setting(n, in, "humanInputModelPrompt")
	if user == nil {
		user = lit("Summarize the conversation between the user and the assistant, reiterate the last message from the assistant, and ask if the user would like to proceed or has any feedback.")
	}
	conversation := m.conversation(n)
	conversation = conversation[1:] // it leaves no trace in the talk
	input := append(m.modelSettings(n, in.text("humanInputModel"), in.object("humanInputModelConfig")),
		inputs.Of("user", user.value(), "memory", "all", "conversation", conversation)...)
	m.before(n, engine.Step{ID: id, Name: "Prompt of " + n.label(), Function: "agent.flowise", Input: inputs.Encode(input)})
	return id
}

// resumeScript begins a new turn: what was said before a stop is past, and what the person
// has to say about it begins the new one.
const resumeScript = `def messages(v):
    return v if type(v) == "list" else []
turn = [{"role": "user", "content": said or " "}, {"role": "assistant", "content": prompt}]
result = {
    "past": messages(past) + turn,
    "chat": [{"role": "user", "content": feedback}] if feedback else [],
    "question": "",
    "input": "",
    "said": feedback,
    "text": text,
}
`

func (c *compiler) resume(n *node) {
	c.after(n, script(c.helper(n.ID+"-resumed"), "After "+n.label(), resumeScript, inputs.Of("past", list(valuePast), "said", inputs.RefOr(valueSaid),
		"prompt", inputs.RefOr(n.ID+".prompt"), "feedback", inputs.RefOr(n.ID+".feedback"), "text", inputs.RefOr(n.ID+".text")),
		valuePast, valueChat, valueQuestion, valueInput, valueSaid))
}

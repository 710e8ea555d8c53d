package openai

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/models"
)

// Field names that compatible servers use for the model's thinking. OpenAI itself does not
// return it here.
const (
	nameReasoningContent = "reasoning_content"
	nameReasoning        = "reasoning"
)

// thought returns the text of the model's thinking and the server's field name for it.
func (a *answer) thought() (name, text string) {
	switch {
	case a.ReasoningContent != "":
		return nameReasoningContent, string(a.ReasoningContent)
	case a.Reasoning != "":
		return nameReasoning, string(a.Reasoning)
	}
	return "", ""
}

// thinking encodes the text under the server's own field name, to be sent back. Servers whose
// models think between tool calls require it, and refuse it under another name.
func thinking(name, text string) json.RawMessage {
	if name == "" {
		return nil
	}
	back, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		panic("openai: a text without a JSON form: " + err.Error()) // cannot happen
	}
	return back
}

// setThinking adds the server's thinking to a message. Thinking of another provider is left
// out.
func setThinking(out *message, m models.Message) {
	var given map[string]string
	if len(m.ToolCalls) == 0 || json.Unmarshal(m.Thinking, &given) != nil {
		return
	}
	out.ReasoningContent, out.Reasoning = given[nameReasoningContent], given[nameReasoning]
}

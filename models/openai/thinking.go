package openai

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/models"
)

// What compatible servers call the text of what a model thought. OpenAI itself shows none
// here.
const (
	nameReasoningContent = "reasoning_content"
	nameReasoning        = "reasoning"
)

// thought returns the text of what a model thought, and what the server calls it.
func (a *answer) thought() (name, text string) {
	switch {
	case a.ReasoningContent != "":
		return nameReasoningContent, string(a.ReasoningContent)
	case a.Reasoning != "":
		return nameReasoning, string(a.Reasoning)
	}
	return "", ""
}

// thinking is what goes back to the server: the text under its own name. Servers that think
// between calls of tools want to see it, and refuse it under a name that is not theirs.
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

// setThinking puts back what the server showed. What another provider thought is left out.
func setThinking(out *message, m models.Message) {
	var given map[string]string
	if len(m.ToolCalls) == 0 || json.Unmarshal(m.Thinking, &given) != nil {
		return
	}
	out.ReasoningContent, out.Reasoning = given[nameReasoningContent], given[nameReasoning]
}

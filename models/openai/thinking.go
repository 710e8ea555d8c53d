package openai

import (
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/stepgraph/stepgraph/models"
)

// reasoningNames are what compatible servers call the text of what a model thought. OpenAI
// itself shows none here.
var reasoningNames = []string{"reasoning_content", "reasoning"}

// reasoning returns the text of what a model thought in a message or a piece of one, and
// what the server calls it.
func reasoning(extra map[string]respjson.Field) (name, text string) {
	for _, name := range reasoningNames {
		if json.Unmarshal([]byte(extra[name].Raw()), &text) == nil && text != "" {
			return name, text
		}
	}
	return "", ""
}

// shown is the text as a message that was not streamed would hold it.
func shown(name, text string) map[string]respjson.Field {
	if name == "" {
		return nil
	}
	return map[string]respjson.Field{name: respjson.NewField(string(encode(text)))}
}

// thinking is what goes back to the server: the text under its own name. Servers that think
// between calls of tools want to see it, and refuse it under a name that is not theirs.
func thinking(name, text string) json.RawMessage {
	if name == "" {
		return nil
	}
	return encode(map[string]string{name: text})
}

func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("openai: a text without a JSON form: " + err.Error()) // cannot happen
	}
	return text
}

// setThinking puts back what the server showed. What another provider thought is left out.
func setThinking(out *openai.ChatCompletionAssistantMessageParam, m models.Message) {
	var given map[string]string
	if len(m.ToolCalls) == 0 || json.Unmarshal(m.Thinking, &given) != nil {
		return
	}
	for _, name := range reasoningNames {
		if text, ok := given[name]; ok {
			out.SetExtraFields(map[string]any{name: text})
		}
	}
}

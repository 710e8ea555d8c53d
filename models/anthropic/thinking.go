package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/models"
)

// setThinking sets how many tokens the model may think. The API counts them as output, so the
// default output limit grows by that number.
func setThinking(params *request, req models.Request) error {
	budget := req.ReasoningTokens
	switch {
	case budget <= 0:
		return nil
	case req.MaxTokens <= 0:
		params.MaxTokens += budget
	case params.MaxTokens <= budget:
		return fmt.Errorf("the answer may have %d tokens, its reasoning alone %d: the first must be the larger", req.MaxTokens, budget)
	}
	params.Thinking = &thinkingConfig{Type: "enabled", BudgetTokens: budget}
	return nil
}

// thoughts returns the model's thinking as text and in the form to send back. It contains a
// signature or encrypted data, with which the model continues when tool results arrive;
// without it the API refuses the results.
func thoughts(answer *message) (text string, back json.RawMessage) {
	var list []block
	var shown []string
	for _, b := range answer.Content {
		switch b.Type {
		case typeThinking:
			list = append(list, block{Type: typeThinking, Thinking: b.Thinking, Signature: b.Signature})
			if b.Thinking != "" {
				shown = append(shown, b.Thinking)
			}
		case typeRedactedThinking:
			list = append(list, block{Type: typeRedactedThinking, Data: b.Data})
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	back, err := json.Marshal(list)
	if err != nil {
		panic("anthropic: thoughts without a JSON form: " + err.Error()) // cannot happen: they are texts
	}
	return strings.Join(shown, "\n"), back
}

// assistant converts an assistant message, with its thinking first, as the API requires.
// Thinking of another provider is left out.
func assistant(m models.Message) []block {
	var list []block
	if json.Unmarshal(m.Thinking, &list) != nil {
		list = nil
	}
	var blocks []block
	for _, t := range list {
		switch {
		case t.Type == typeThinking && t.Signature != "":
			blocks = append(blocks, block{Type: typeThinking, Thinking: t.Thinking, Signature: t.Signature})
		case t.Type == typeRedactedThinking && t.Data != "":
			blocks = append(blocks, block{Type: typeRedactedThinking, Data: t.Data})
		}
	}
	return append(append(blocks, textBlocks(m.Content)...), toolUses(m.ToolCalls)...)
}

package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/models"
)

// setThinking sets how long the model may think. The API counts it as part of the answer,
// whose bound grows by it where the request has none.
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

// thoughts takes the thinking out of an answer, as text and as what goes back. The signature,
// or the data that only the API can read, lets the model go on from where it was when the
// results of tools arrive; without its thoughts the API refuses these.
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

// assistant puts an answer back: what it thought first, as the API demands. What another
// provider thought is left out.
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

package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/stepgraph/stepgraph/models"
)

// A thought is one block of thinking. The signature, or the data that only the API can
// read, lets it go on from where it was when the results of tools arrive; without its
// thoughts the API refuses these.
type thought struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
}

// Types of thoughts.
const (
	openThought   = "thinking"
	closedThought = "redacted_thinking"
)

// setThinking sets how long the model may think. The API counts it as part of the answer,
// whose bound grows by it where the request has none.
func setThinking(params *anthropic.MessageNewParams, req models.Request) error {
	budget := int64(req.ReasoningTokens)
	switch {
	case budget <= 0:
		return nil
	case req.MaxTokens <= 0:
		params.MaxTokens += budget
	case params.MaxTokens <= budget:
		return fmt.Errorf("the answer may have %d tokens, its reasoning alone %d: the first must be the larger", req.MaxTokens, budget)
	}
	params.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
	return nil
}

// thoughts takes the thinking out of an answer, as text and as what goes back.
func thoughts(message *anthropic.Message) (text string, back json.RawMessage) {
	var list []thought
	var shown []string
	for _, block := range message.Content {
		switch block.Type {
		case openThought:
			list = append(list, thought{Type: openThought, Thinking: block.Thinking, Signature: block.Signature})
			if block.Thinking != "" {
				shown = append(shown, block.Thinking)
			}
		case closedThought:
			list = append(list, thought{Type: closedThought, Data: block.Data})
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
func assistant(m models.Message) []anthropic.ContentBlockParamUnion {
	var list []thought
	if json.Unmarshal(m.Thinking, &list) != nil {
		list = nil
	}
	var blocks []anthropic.ContentBlockParamUnion
	for _, t := range list {
		switch {
		case t.Type == openThought && t.Signature != "":
			blocks = append(blocks, anthropic.NewThinkingBlock(t.Signature, t.Thinking))
		case t.Type == closedThought && t.Data != "":
			blocks = append(blocks, anthropic.NewRedactedThinkingBlock(t.Data))
		}
	}
	return append(append(blocks, text(m.Content)...), toolUses(m.ToolCalls)...)
}

package anthropic

import (
	"encoding/base64"
	"encoding/json"

	"github.com/stepgraph/stepgraph/models"
)

// A block is one part of a message in requests and responses. Type determines which of the
// other fields are set.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`        // text
	Source    *source         `json:"source,omitempty"`      // image
	ID        string          `json:"id,omitempty"`          // tool_use
	Name      string          `json:"name,omitempty"`        // tool_use
	Input     json.RawMessage `json:"input,omitempty"`       // tool_use
	ToolUseID string          `json:"tool_use_id,omitempty"` // tool_result
	Content   []block         `json:"content,omitempty"`     // tool_result
	Thinking  string          `json:"thinking,omitempty"`    // thinking
	Signature string          `json:"signature,omitempty"`   // thinking
	Data      string          `json:"data,omitempty"`        // redacted_thinking
}

// A source holds the bytes of an image or its URL.
type source struct {
	Type      string `json:"type"`
	URL       string `json:"url,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
}

// Types of blocks.
const (
	typeText             = "text"
	typeToolUse          = "tool_use"
	typeThinking         = "thinking"
	typeRedactedThinking = "redacted_thinking"
)

// textBlocks returns a text as blocks, none for an empty text, since the API refuses empty
// blocks.
func textBlocks(text string) []block {
	if text == "" {
		return nil
	}
	return []block{{Type: typeText, Text: text}}
}

func imageBlocks(list []models.Image) []block {
	var blocks []block
	for _, image := range list {
		from := &source{Type: "url", URL: image.URL}
		if len(image.Data) > 0 {
			from = &source{Type: "base64", MediaType: image.Type(), Data: base64.StdEncoding.EncodeToString(image.Data)}
		}
		blocks = append(blocks, block{Type: "image", Source: from})
	}
	return blocks
}

// toolUses repeats the tool calls of the model in a request. The API requires an object as
// input, whatever the model wrote.
func toolUses(calls []models.ToolCall) []block {
	var blocks []block
	for _, call := range calls {
		input := call.Arguments
		if len(input) == 0 {
			input = json.RawMessage(`{}`)
		} else if input[0] != '{' {
			input = json.RawMessage(`{"arguments":` + string(input) + `}`)
		}
		blocks = append(blocks, block{Type: typeToolUse, ID: call.ID, Name: call.Name, Input: input})
	}
	return blocks
}

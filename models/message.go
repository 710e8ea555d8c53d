package models

import (
	"encoding/base64"
	"encoding/json"
)

// Roles of messages.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one entry of a conversation. Its JSON form is what transcripts
// keep.
type Message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Images  []Image `json:"images,omitempty"` // user messages only
	// ToolCalls are what an assistant message asked for.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID names the call that a tool message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Name       string `json:"name,omitempty"`
	// Thinking is Response.Thinking of the round that this assistant message was.
	Thinking json.RawMessage `json:"thinking,omitempty"`
}

// An Image is part of a user message, in addition to its text: either a URL, which the
// provider fetches, or the bytes themselves.
type Image struct {
	URL       string `json:"url,omitempty"`
	MediaType string `json:"media_type,omitempty"` // of Data, such as image/png (the default)
	Data      []byte `json:"data,omitempty"`
	Detail    string `json:"detail,omitempty"` // "low", "high" or "auto"
}

// Address returns the URL of the image, a data: URL when it carries its bytes.
func (i Image) Address() string {
	if len(i.Data) == 0 {
		return i.URL
	}
	return "data:" + i.Type() + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// Type returns the media type of Data, image/png if none is set.
func (i Image) Type() string {
	if i.MediaType == "" {
		return "image/png"
	}
	return i.MediaType
}

// A Tool is a function that the model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object; nil takes nothing
}

// A ToolCall is a model's request to call a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments is always valid JSON. What a model wrote that is not valid JSON stands
	// here as one JSON text, so that the caller can show it to the model again.
	Arguments json.RawMessage `json:"arguments"`
}

// Arguments returns ToolCall.Arguments for the text that a model wrote: an empty text is an
// empty object.
func Arguments(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage(`{}`)
	}
	if object, ok := compact(text); ok {
		return object
	}
	return quote(text)
}

// ArgumentsText reverses Arguments and returns the text as the model wrote it, as far as it is
// known.
func ArgumentsText(arguments json.RawMessage) string {
	var text string
	if len(arguments) > 0 && arguments[0] == '"' && json.Unmarshal(arguments, &text) == nil {
		return text
	}
	if len(arguments) == 0 {
		return "{}"
	}
	return string(arguments)
}

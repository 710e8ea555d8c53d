package openai

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/stepgraph/stepgraph/models"
)

// owned lists the parameters that fields of models.Request set, and those that determine how
// the response is read. Extra must not contain them.
var owned = map[string]bool{
	"model": true, "messages": true, "temperature": true, "top_p": true, "max_tokens": true,
	"max_completion_tokens": true, "seed": true, "stop": true, "reasoning_effort": true, "response_format": true,
	"tools": true, "tool_choice": true, "stream": true, "stream_options": true, "n": true,
	"functions": true, "function_call": true,
}

// speaker matches the names that the API allows for the sender of a message.
var speaker = regexp.MustCompile(`^[^\s<|\\/>]{1,64}$`)

// A request is the body of a chat completion request. Its fields, like those of all types of
// the wire here, are named as in OpenAI's API reference.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Stop                []string        `json:"stop,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	ToolChoice          any             `json:"tool_choice,omitempty"` // a word, or a tool by name
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// A message is one message of a request. Content is a string, a list of parts, or absent.
type message struct {
	Role       string     `json:"role"`
	Name       string     `json:"name,omitempty"`
	Content    any        `json:"content,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	// The model's thinking is sent back under the name that the server used for it.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

// A tool describes a function. The schema goes out as it is written: models fill the
// properties in the order they see.
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// parameters converts a request to the body of the API.
func parameters(req models.Request, spoken dialect) (*request, error) {
	params := &request{
		Model:           req.Model,
		Temperature:     req.Temperature,
		TopP:            req.TopP,
		Seed:            req.Seed,
		Stop:            req.Stop,
		ReasoningEffort: req.ReasoningEffort,
		ToolChoice:      toolChoice(req.ToolChoice),
		Stream:          req.Token != nil,
	}
	messages := req.Messages
	if len(req.Schema) > 0 && spoken.plainJSON {
		messages = withSchemaInWords(messages, req.Schema)
	}
	for i, m := range messages {
		said, err := newMessage(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		params.Messages = append(params.Messages, said)
	}
	for _, t := range req.Tools {
		if len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
			return nil, fmt.Errorf("tool %q: parameters: the schema is not valid JSON", t.Name)
		}
		params.Tools = append(params.Tools, tool{Type: "function", Function: function{t.Name, t.Description, t.Parameters}})
	}
	if spoken.oldMaxTokens {
		params.MaxTokens = max(req.MaxTokens, 0)
	} else {
		params.MaxCompletionTokens = max(req.MaxTokens, 0)
	}
	if params.Stream && !spoken.noStreamOptions {
		params.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	var err error
	params.ResponseFormat, err = newResponseFormat(req, spoken)
	return params, err
}

func newMessage(m models.Message) (message, error) {
	out := message{Role: m.Role, Content: m.Content}
	if speaker.MatchString(m.Name) && m.Role != models.RoleTool {
		out.Name = m.Name
	}
	switch m.Role {
	case models.RoleSystem:
	case models.RoleUser:
		if len(m.Images) > 0 {
			out.Content = parts(m)
		}
	case models.RoleAssistant:
		setCalls(&out, m)
	case models.RoleTool:
		out.ToolCallID = m.ToolCallID
	default:
		return out, fmt.Errorf("unknown role %q; there are system, user, assistant and tool", m.Role)
	}
	return out, nil
}

func parts(m models.Message) []part {
	var out []part
	if m.Content != "" {
		out = append(out, part{Type: "text", Text: m.Content})
	}
	for _, image := range m.Images {
		out = append(out, part{Type: "image_url", ImageURL: &imageURL{URL: image.Address(), Detail: image.Detail}})
	}
	return out
}

// setCalls repeats the tool calls of an assistant message. A message with only tool calls has
// no content.
func setCalls(out *message, m models.Message) {
	if m.Content == "" && len(m.ToolCalls) > 0 {
		out.Content = nil
	}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, toolCall{
			ID: call.ID, Type: "function", Function: calledFunction{Name: call.Name, Arguments: models.ArgumentsText(call.Arguments)},
		})
	}
	setThinking(out, m)
}

func toolChoice(choice string) any {
	switch choice {
	case "":
		return nil
	case "auto", "none", "required":
		return choice
	}
	return tool{Type: "function", Function: function{Name: choice}}
}

package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/models"
)

// owned lists the parameters that fields of models.Request set, and those that determine how
// the response is read. Extra must not contain them.
var owned = map[string]bool{
	"model": true, "messages": true, "system": true, "temperature": true, "top_p": true, "max_tokens": true,
	"stop_sequences": true, "output_config": true, "tools": true, "tool_choice": true, "stream": true,
}

// A request is the body of a messages request. Its fields, like those of all types of the
// wire here, are named as in Anthropic's API reference.
type request struct {
	Model         string          `json:"model"`
	MaxTokens     int             `json:"max_tokens"`
	System        []block         `json:"system,omitempty"`
	Messages      []turn          `json:"messages"`
	Temperature   *float64        `json:"temperature,omitempty"`
	TopP          *float64        `json:"top_p,omitempty"`
	StopSequences []string        `json:"stop_sequences,omitempty"`
	Tools         []tool          `json:"tools,omitempty"`
	ToolChoice    *toolChoice     `json:"tool_choice,omitempty"`
	Thinking      *thinkingConfig `json:"thinking,omitempty"`
	OutputConfig  *outputConfig   `json:"output_config,omitempty"`
	Stream        bool            `json:"stream"`
}

// A turn is one message of a request: the roles alternate.
type turn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// A tool describes a function. The schema goes out as it is written: models fill the
// properties in the order they see.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

type thinkingConfig struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens"`
}

type outputConfig struct {
	Effort string        `json:"effort,omitempty"`
	Format *outputFormat `json:"format,omitempty"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// parameters converts a request to the body of the API.
func parameters(req models.Request, inWords bool) (*request, error) {
	params := &request{
		Model:         req.Model,
		MaxTokens:     MaxTokens,
		Messages:      []turn{},
		Temperature:   req.Temperature,
		TopP:          req.TopP,
		StopSequences: req.Stop,
		ToolChoice:    newToolChoice(req.ToolChoice),
		Stream:        true,
	}
	if req.MaxTokens > 0 {
		params.MaxTokens = req.MaxTokens
	}
	if err := setThinking(params, req); err != nil {
		return nil, err
	}
	if req.ReasoningEffort != "" {
		params.OutputConfig = &outputConfig{Effort: req.ReasoningEffort}
	}
	if err := setMessages(params, req.Messages); err != nil {
		return nil, err
	}
	if err := setSchema(params, req.Schema, inWords); err != nil {
		return nil, err
	}
	for _, t := range req.Tools {
		described, err := newTool(t)
		if err != nil {
			return nil, err
		}
		params.Tools = append(params.Tools, described)
	}
	return params, nil
}

// setMessages converts the messages: the API takes system texts separately, requires
// alternating roles, and wants all tool results of one round in one message.
func setMessages(params *request, messages []models.Message) error {
	for i, m := range messages {
		if m.Role == models.RoleSystem {
			params.System = append(params.System, textBlocks(m.Content)...)
			continue
		}
		role, blocks, err := content(m)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if len(blocks) == 0 {
			continue // the API refuses empty messages
		}
		if last := len(params.Messages) - 1; last >= 0 && params.Messages[last].Role == role {
			params.Messages[last].Content = append(params.Messages[last].Content, blocks...)
			continue
		}
		params.Messages = append(params.Messages, turn{Role: role, Content: blocks})
	}
	return nil
}

// content returns the blocks of a message and the role under which the API takes them.
func content(m models.Message) (role string, blocks []block, err error) {
	switch m.Role {
	case models.RoleTool:
		return models.RoleUser, []block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: textBlocks(m.Content)}}, nil
	case models.RoleUser:
		return models.RoleUser, append(imageBlocks(m.Images), textBlocks(m.Content)...), nil
	case models.RoleAssistant:
		return models.RoleAssistant, assistant(m), nil
	}
	return "", nil, fmt.Errorf("unknown role %q; there are system, user, assistant and tool", m.Role)
}

func setSchema(params *request, schema json.RawMessage, inWords bool) error {
	switch {
	case len(schema) == 0:
		return nil
	case !json.Valid(schema):
		return errors.New("the schema of the output is not valid JSON")
	case inWords:
		params.System = append(params.System, textBlocks(models.SchemaInWords(schema))...)
		return nil
	}
	if params.OutputConfig == nil {
		params.OutputConfig = &outputConfig{}
	}
	params.OutputConfig.Format = &outputFormat{Type: "json_schema", Schema: schema}
	return nil
}

func newTool(t models.Tool) (tool, error) {
	schema := t.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	if !json.Valid(schema) {
		return tool{}, fmt.Errorf("tool %q: the schema of its parameters is not valid JSON", t.Name)
	}
	return tool{Name: t.Name, Description: t.Description, InputSchema: schema}, nil
}

func newToolChoice(choice string) *toolChoice {
	switch choice {
	case "":
		return nil
	case "auto", "none":
		return &toolChoice{Type: choice}
	case "required":
		return &toolChoice{Type: "any"}
	}
	return &toolChoice{Type: "tool", Name: choice}
}

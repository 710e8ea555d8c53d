package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/stepgraph/stepgraph/models"
)

// owned are the parameters that fields of models.Request stand for, and those
// that decide how the answer is read.
var owned = map[string]bool{
	"model": true, "messages": true, "system": true, "temperature": true, "top_p": true, "max_tokens": true,
	"stop_sequences": true, "output_config": true, "tools": true, "tool_choice": true, "stream": true,
}

// parameters puts a request into the words of the wire.
func parameters(req models.Request, inWords bool) (anthropic.MessageNewParams, error) {
	params := anthropic.MessageNewParams{
		Model:         anthropic.Model(req.Model),
		MaxTokens:     MaxTokens,
		StopSequences: req.Stop,
		ToolChoice:    toolChoice(req.ToolChoice),
	}
	if req.MaxTokens > 0 {
		params.MaxTokens = int64(req.MaxTokens)
	}
	if req.Temperature != nil {
		params.Temperature = anthropic.Float(*req.Temperature)
	}
	if req.TopP != nil {
		params.TopP = anthropic.Float(*req.TopP)
	}
	if err := setThinking(&params, req); err != nil {
		return params, err
	}
	params.OutputConfig.Effort = anthropic.OutputConfigEffort(req.ReasoningEffort)
	if err := setMessages(&params, req.Messages); err != nil {
		return params, err
	}
	if err := setSchema(&params, req.Schema, inWords); err != nil {
		return params, err
	}
	for _, t := range req.Tools {
		described, err := tool(t)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, described)
	}
	if len(req.Extra) > 0 {
		extra := make(map[string]any, len(req.Extra))
		for name, value := range req.Extra {
			extra[name] = value
		}
		params.SetExtraFields(extra)
	}
	return params, nil
}

// setMessages sorts the messages: the API takes system texts apart, wants the
// roles to alternate and all results of one round of tools in one message.
func setMessages(params *anthropic.MessageNewParams, messages []models.Message) error {
	for i, m := range messages {
		if m.Role == models.RoleSystem {
			if m.Content != "" {
				params.System = append(params.System, anthropic.TextBlockParam{Text: m.Content})
			}
			continue
		}
		role, blocks, err := content(m)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if len(blocks) == 0 {
			continue // the API refuses empty messages, and they say nothing
		}
		if last := len(params.Messages) - 1; last >= 0 && params.Messages[last].Role == role {
			params.Messages[last].Content = append(params.Messages[last].Content, blocks...)
			continue
		}
		params.Messages = append(params.Messages, anthropic.MessageParam{Role: role, Content: blocks})
	}
	return nil
}

func content(m models.Message) (anthropic.MessageParamRole, []anthropic.ContentBlockParamUnion, error) {
	switch m.Role {
	case models.RoleTool:
		result := &anthropic.ToolResultBlockParam{ToolUseID: m.ToolCallID}
		if m.Content != "" {
			result.Content = []anthropic.ToolResultBlockParamContentUnion{{OfText: &anthropic.TextBlockParam{Text: m.Content}}}
		}
		return anthropic.MessageParamRoleUser, []anthropic.ContentBlockParamUnion{{OfToolResult: result}}, nil
	case models.RoleUser:
		return anthropic.MessageParamRoleUser, append(images(m.Images), text(m.Content)...), nil
	case models.RoleAssistant:
		return anthropic.MessageParamRoleAssistant, assistant(m), nil
	}
	return "", nil, fmt.Errorf("unknown role %q; there are system, user, assistant and tool", m.Role)
}

func text(s string) []anthropic.ContentBlockParamUnion {
	if s == "" {
		return nil
	}
	return []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(s)}
}

func images(list []models.Image) []anthropic.ContentBlockParamUnion {
	var blocks []anthropic.ContentBlockParamUnion
	for _, image := range list {
		if len(image.Data) > 0 {
			blocks = append(blocks, anthropic.NewImageBlockBase64(image.Type(), base64.StdEncoding.EncodeToString(image.Data)))
			continue
		}
		blocks = append(blocks, anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: image.URL}))
	}
	return blocks
}

// toolUses repeats what the model asked for. Its input must be an object again,
// whatever the model wrote.
func toolUses(calls []models.ToolCall) []anthropic.ContentBlockParamUnion {
	var blocks []anthropic.ContentBlockParamUnion
	for _, call := range calls {
		var input any = call.Arguments
		if len(call.Arguments) == 0 {
			input = struct{}{}
		} else if call.Arguments[0] != '{' {
			input = map[string]any{"arguments": call.Arguments}
		}
		blocks = append(blocks, anthropic.NewToolUseBlock(call.ID, input, call.Name))
	}
	return blocks
}

func setSchema(params *anthropic.MessageNewParams, schema json.RawMessage, inWords bool) error {
	switch {
	case len(schema) == 0:
		return nil
	case !json.Valid(schema):
		return errors.New("the schema of the output is no JSON")
	case inWords:
		params.System = append(params.System, anthropic.TextBlockParam{Text: models.SchemaInWords(schema)})
		return nil
	}
	// As it is written: the library's map would sort the properties, and models
	// fill them in the order they see.
	format := fmt.Appendf(nil, `{"type":"json_schema","schema":%s}`, schema)
	params.OutputConfig.Format = param.Override[anthropic.JSONOutputFormatParam](json.RawMessage(format))
	return nil
}

func tool(t models.Tool) (anthropic.ToolUnionParam, error) {
	schema := t.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	if !json.Valid(schema) {
		return anthropic.ToolUnionParam{}, fmt.Errorf("tool %q: the schema of its parameters is no JSON", t.Name)
	}
	out := anthropic.ToolParam{Name: t.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		out.Description = anthropic.String(t.Description)
	}
	return anthropic.ToolUnionParam{OfTool: &out}, nil
}

func toolChoice(choice string) anthropic.ToolChoiceUnionParam {
	switch choice {
	case "":
		return anthropic.ToolChoiceUnionParam{}
	case "auto":
		return anthropic.ToolChoiceUnionParam{OfAuto: &anthropic.ToolChoiceAutoParam{}}
	case "none":
		none := anthropic.NewToolChoiceNoneParam()
		return anthropic.ToolChoiceUnionParam{OfNone: &none}
	case "required":
		return anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
	}
	return anthropic.ToolChoiceParamOfTool(choice)
}

package openai

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/stepgraph/stepgraph/models"
)

// owned are the parameters that fields of models.Request stand for, and those
// that decide how the answer is read.
var owned = map[string]bool{
	"model": true, "messages": true, "temperature": true, "top_p": true, "max_tokens": true,
	"max_completion_tokens": true, "seed": true, "stop": true, "reasoning_effort": true, "response_format": true,
	"tools": true, "tool_choice": true, "stream": true, "stream_options": true, "n": true,
	"functions": true, "function_call": true,
}

// speaker is what the wire allows as the name of who said a message.
var speaker = regexp.MustCompile(`^[^\s<|\\/>]{1,64}$`)

// parameters puts a request into the words of the wire.
func parameters(req models.Request, spoken dialect) (openai.ChatCompletionNewParams, error) {
	params := openai.ChatCompletionNewParams{
		Model:           req.Model,
		ReasoningEffort: shared.ReasoningEffort(req.ReasoningEffort),
		ToolChoice:      toolChoice(req.ToolChoice),
		Stop:            openai.ChatCompletionNewParamsStopUnion{OfStringArray: req.Stop},
	}
	messages := req.Messages
	if len(req.Schema) > 0 && spoken.plainJSON {
		messages = withSchemaInWords(messages, req.Schema)
	}
	for i, m := range messages {
		said, err := message(m)
		if err != nil {
			return params, fmt.Errorf("message %d: %w", i, err)
		}
		params.Messages = append(params.Messages, said)
	}
	for _, tool := range req.Tools {
		described, err := function(tool)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, described)
	}
	var err error
	params.ResponseFormat, err = responseFormat(req, spoken)
	setNumbers(&params, req, spoken)
	if req.Token != nil && !spoken.noStreamOptions {
		params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	}
	if len(req.Extra) > 0 {
		extra := make(map[string]any, len(req.Extra))
		for name, value := range req.Extra {
			extra[name] = value
		}
		params.SetExtraFields(extra)
	}
	return params, err
}

func setNumbers(params *openai.ChatCompletionNewParams, req models.Request, spoken dialect) {
	if req.Temperature != nil {
		params.Temperature = openai.Float(*req.Temperature)
	}
	if req.TopP != nil {
		params.TopP = openai.Float(*req.TopP)
	}
	if req.Seed != nil {
		params.Seed = openai.Int(*req.Seed)
	}
	switch {
	case req.MaxTokens <= 0:
	case spoken.oldMaxTokens:
		params.MaxTokens = openai.Int(int64(req.MaxTokens))
	default:
		params.MaxCompletionTokens = openai.Int(int64(req.MaxTokens))
	}
}

func message(m models.Message) (openai.ChatCompletionMessageParamUnion, error) {
	var name param.Opt[string]
	if speaker.MatchString(m.Name) {
		name = openai.String(m.Name)
	}
	switch m.Role {
	case models.RoleSystem:
		out := openai.SystemMessage(m.Content)
		out.OfSystem.Name = name
		return out, nil
	case models.RoleUser:
		out := user(m)
		out.OfUser.Name = name
		return out, nil
	case models.RoleAssistant:
		return assistant(m, name), nil
	case models.RoleTool:
		return openai.ToolMessage(m.Content, m.ToolCallID), nil
	}
	return openai.ChatCompletionMessageParamUnion{}, fmt.Errorf("unknown role %q; there are system, user, assistant and tool", m.Role)
}

func user(m models.Message) openai.ChatCompletionMessageParamUnion {
	if len(m.Images) == 0 {
		return openai.UserMessage(m.Content)
	}
	var parts []openai.ChatCompletionContentPartUnionParam
	if m.Content != "" {
		parts = append(parts, openai.TextContentPart(m.Content))
	}
	for _, image := range m.Images {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
			URL: image.Address(), Detail: image.Detail,
		}))
	}
	return openai.UserMessage(parts)
}

func assistant(m models.Message, name param.Opt[string]) openai.ChatCompletionMessageParamUnion {
	out := &openai.ChatCompletionAssistantMessageParam{Name: name}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		out.Content.OfString = openai.String(m.Content)
	}
	for _, call := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: call.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: call.Name, Arguments: models.ArgumentsText(call.Arguments),
				},
			},
		})
	}
	setThinking(out, m)
	return openai.ChatCompletionMessageParamUnion{OfAssistant: out}
}

// function describes a tool. The schema goes out as it is written: the library's
// map would sort the properties, and models fill them in the order they see.
func function(tool models.Tool) (openai.ChatCompletionToolUnionParam, error) {
	definition := struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}{tool.Name, tool.Description, tool.Parameters}
	text, err := json.Marshal(definition)
	if err != nil {
		return openai.ChatCompletionToolUnionParam{}, fmt.Errorf("tool %q: parameters: %w", tool.Name, err)
	}
	return openai.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](json.RawMessage(text))), nil
}

func toolChoice(choice string) openai.ChatCompletionToolChoiceOptionUnionParam {
	switch choice {
	case "":
		return openai.ChatCompletionToolChoiceOptionUnionParam{}
	case "auto", "none", "required":
		return openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String(choice)}
	}
	return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
}

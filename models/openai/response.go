package openai

import (
	"strconv"

	"github.com/openai/openai-go/v3"

	"github.com/stepgraph/stepgraph/models"
)

// finish makes a Response of a completion. An answer without choices and a
// refusal are errors.
func (c *Client) finish(req models.Request, completion *openai.ChatCompletion) (models.Response, error) {
	if len(completion.Choices) == 0 {
		return models.Response{}, models.NewError(models.KindBadResponse, false, c.name+": the answer has no choices", nil)
	}
	choice := completion.Choices[0]
	message := choice.Message
	switch {
	case message.Refusal != "":
		return models.Response{}, models.NewError(models.KindRefusal, false, c.name+": the model refused: "+message.Refusal, nil)
	case choice.FinishReason == "content_filter" && message.Content == "":
		return models.Response{}, models.NewError(models.KindRefusal, false, c.name+": the content filter held the answer back", nil)
	}
	resp := models.Response{
		Text:         message.Content,
		ToolCalls:    toolCalls(message.ToolCalls),
		Model:        completion.Model,
		FinishReason: choice.FinishReason,
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	var name string
	name, resp.Reasoning = reasoning(message.JSON.ExtraFields)
	resp.Thinking = thinking(name, resp.Reasoning)
	if len(resp.ToolCalls) > 0 {
		resp.FinishReason = models.FinishToolCalls // some servers say "stop"
	} else {
		resp.Object = models.Object(req.Schema, resp.Text)
	}
	resp.Usage = c.usage(req, resp, completion.Usage)
	return resp, nil
}

func toolCalls(calls []openai.ChatCompletionMessageToolCallUnion) []models.ToolCall {
	var out []models.ToolCall
	for i, call := range calls {
		if call.Function.Name == "" {
			continue // a gap in the numbers of a stream, or a kind of call that was not asked for
		}
		id := call.ID
		if id == "" {
			id = "call_" + strconv.Itoa(i)
		}
		out = append(out, models.ToolCall{ID: id, Name: call.Function.Name, Arguments: models.Arguments(call.Function.Arguments)})
	}
	return out
}

func (c *Client) usage(req models.Request, resp models.Response, counted openai.CompletionUsage) models.Usage {
	usage := models.Usage{
		InputTokens:     int(counted.PromptTokens),
		OutputTokens:    int(counted.CompletionTokens),
		CachedTokens:    int(counted.PromptTokensDetails.CachedTokens),
		ReasoningTokens: int(counted.CompletionTokensDetails.ReasoningTokens),
	}
	if usage == (models.Usage{}) {
		usage = models.EstimateUsage(req, resp)
	}
	usage.Cost = c.prices.Cost(resp.Model, usage)
	return usage
}

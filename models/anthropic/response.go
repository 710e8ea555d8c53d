package anthropic

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// A message is a complete response, as sent or assembled from a stream.
type message struct {
	Model       string      `json:"model"`
	Content     []block     `json:"content"`
	StopReason  string      `json:"stop_reason"`
	StopDetails stopDetails `json:"stop_details"`
	Usage       usage       `json:"usage"`
}

// stopDetails is the reason of a refusal.
type stopDetails struct {
	Explanation string `json:"explanation"`
}

type usage struct {
	InputTokens              int `json:"input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	OutputTokensDetails      struct {
		ThinkingTokens int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// update sets the counts from the end of a stream, which are totals. Counts that the end does
// not repeat keep their value from the start.
func (u *usage) update(end *usage) {
	if end.InputTokens > 0 {
		u.InputTokens = end.InputTokens
	}
	if end.CacheReadInputTokens > 0 {
		u.CacheReadInputTokens = end.CacheReadInputTokens
	}
	if end.CacheCreationInputTokens > 0 {
		u.CacheCreationInputTokens = end.CacheCreationInputTokens
	}
	u.OutputTokens, u.OutputTokensDetails = end.OutputTokens, end.OutputTokensDetails
}

// wholeAnswer reads a response that is not streamed and passes its text to token. Small
// servers and mocks send such responses.
func wholeAnswer(resp *http.Response, token func(string)) (*message, error) {
	var answer message
	if err := wire.Decode(resp, &answer); err != nil {
		return nil, fmt.Errorf("no message: %w", err)
	}
	if text := said(&answer); text != "" {
		token(text)
	}
	return &answer, nil
}

func said(answer *message) string {
	var text strings.Builder
	for _, b := range answer.Content {
		if b.Type == typeText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// finish converts a message to a Response. A refusal is an error.
func (c *Client) finish(req models.Request, answer *message) (models.Response, error) {
	if answer.StopReason == "refusal" {
		reason := strings.TrimSpace(answer.StopDetails.Explanation + " " + said(answer))
		return models.Response{}, models.NewError(models.KindRefusal, false, strings.TrimRight(c.caller.Name+": the model refused: "+reason, ": "), nil)
	}
	resp := models.Response{
		Text:         said(answer),
		Model:        answer.Model,
		FinishReason: finishReason(answer.StopReason),
	}
	for _, block := range answer.Content {
		if block.Type == typeToolUse {
			resp.ToolCalls = append(resp.ToolCalls, models.ToolCall{ID: block.ID, Name: block.Name, Arguments: models.Arguments(string(block.Input))})
		}
	}
	resp.Reasoning, resp.Thinking = thoughts(answer)
	if len(resp.ToolCalls) == 0 {
		resp.Object = models.Object(req.Schema, resp.Text)
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	resp.Usage = c.usage(req, resp, answer.Usage)
	return resp, nil
}

func finishReason(reason string) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return models.FinishStop
	case "max_tokens", "model_context_window_exceeded":
		return models.FinishLength
	case "tool_use":
		return models.FinishToolCalls
	}
	return reason
}

// usage counts cached tokens as input, as models.Usage requires; the API counts them
// separately.
func (c *Client) usage(req models.Request, resp models.Response, counted usage) models.Usage {
	used := models.Usage{
		InputTokens:     counted.InputTokens + counted.CacheReadInputTokens + counted.CacheCreationInputTokens,
		OutputTokens:    counted.OutputTokens,
		CachedTokens:    counted.CacheReadInputTokens,
		ReasoningTokens: counted.OutputTokensDetails.ThinkingTokens,
	}
	if used == (models.Usage{}) {
		used = models.EstimateUsage(req, resp)
	}
	used.Cost = c.prices.Cost(resp.Model, used)
	return used
}

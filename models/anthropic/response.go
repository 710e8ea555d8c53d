package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/stepgraph/stepgraph/models"
)

// stream asks for a stream, hands its text to token (which may be nil) and puts
// the answer together. answer points at what option.WithResponseInto fills.
func (c *Client) stream(ctx context.Context, params anthropic.MessageNewParams, token func(string), answer **http.Response, options []option.RequestOption) (*anthropic.Message, error) {
	stream := c.service.NewStreaming(ctx, params, options...)
	defer stream.Close()
	if token == nil {
		token = func(string) {}
	}
	if stream.Err() == nil && isJSON(*answer) {
		return wholeAnswer(*answer, token)
	}
	var message anthropic.Message
	complete := false
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return nil, err
		}
		if event.Type == "content_block_delta" && event.Delta.Type == "text_delta" && event.Delta.Text != "" {
			token(event.Delta.Text)
		}
		complete = complete || event.Type == "message_stop"
	}
	switch err := stream.Err(); {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !complete: // half an answer must not pass for a whole one
		return nil, fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)
	}
	return &message, nil
}

func isJSON(answer *http.Response) bool {
	if answer == nil {
		return false
	}
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return kind == "application/json"
}

// wholeAnswer reads the answer of a server that does not stream and sends the
// whole of it, as small servers and mocks do.
func wholeAnswer(answer *http.Response, token func(string)) (*anthropic.Message, error) {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	var message anthropic.Message
	if err := json.Unmarshal(body, &message); err != nil {
		return nil, fmt.Errorf("no message: %w", err)
	}
	if text := said(&message); text != "" {
		token(text)
	}
	return &message, nil
}

func said(message *anthropic.Message) string {
	var text strings.Builder
	for _, block := range message.Content {
		if block.Type == "text" {
			text.WriteString(block.Text)
		}
	}
	return text.String()
}

// finish makes a Response of a message. A refusal is an error.
func (c *Client) finish(req models.Request, message *anthropic.Message) (models.Response, error) {
	if message.StopReason == anthropic.StopReasonRefusal {
		reason := strings.TrimSpace(message.StopDetails.Explanation + " " + said(message))
		return models.Response{}, models.NewError(models.KindRefusal, false, strings.TrimRight(c.name+": the model refused: "+reason, ": "), nil)
	}
	resp := models.Response{
		Text:         said(message),
		Model:        string(message.Model),
		FinishReason: finishReason(message.StopReason),
	}
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			resp.ToolCalls = append(resp.ToolCalls, models.ToolCall{ID: block.ID, Name: block.Name, Arguments: models.Arguments(string(block.Input))})
		}
	}
	resp.Reasoning, resp.Thinking = thoughts(message)
	if len(resp.ToolCalls) == 0 {
		resp.Object = models.Object(req.Schema, resp.Text)
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	resp.Usage = c.usage(req, resp, message.Usage)
	return resp, nil
}

func finishReason(reason anthropic.StopReason) string {
	switch reason {
	case anthropic.StopReasonEndTurn, anthropic.StopReasonStopSequence:
		return models.FinishStop
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return models.FinishLength
	case anthropic.StopReasonToolUse:
		return models.FinishToolCalls
	}
	return string(reason)
}

// usage counts cached tokens as input, as models.Usage does and the API does not.
func (c *Client) usage(req models.Request, resp models.Response, counted anthropic.Usage) models.Usage {
	usage := models.Usage{
		InputTokens:     int(counted.InputTokens + counted.CacheReadInputTokens + counted.CacheCreationInputTokens),
		OutputTokens:    int(counted.OutputTokens),
		CachedTokens:    int(counted.CacheReadInputTokens),
		ReasoningTokens: int(counted.OutputTokensDetails.ThinkingTokens),
	}
	if usage == (models.Usage{}) {
		usage = models.EstimateUsage(req, resp)
	}
	usage.Cost = c.prices.Cost(resp.Model, usage)
	return usage
}

package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stepgraph/stepgraph/models"
	"github.com/stepgraph/stepgraph/models/internal/wire"
)

// A completion is a complete response, as sent or assembled from a stream.
type completion struct {
	Model   text     `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	FinishReason text   `json:"finish_reason"`
	Message      answer `json:"message"`
}

// An answer is the message of a choice, and the delta of a choice in a stream.
type answer struct {
	Content          text       `json:"content"`
	Refusal          text       `json:"refusal"`
	ToolCalls        []toolCall `json:"tool_calls"`
	ReasoningContent text       `json:"reasoning_content"`
	Reasoning        text       `json:"reasoning"`
}

type toolCall struct {
	Index    *int           `json:"index,omitempty"` // of deltas
	ID       string         `json:"id,omitempty"`
	Type     string         `json:"type,omitempty"`
	Function calledFunction `json:"function"`
}

type calledFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

type usage struct {
	PromptTokens        count `json:"prompt_tokens"`
	CompletionTokens    count `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// A text is a field that should be a string. Compatible servers also send null, a list of
// parts, or other values: text parts are joined, everything else is read as "".
type text string

// UnmarshalJSON never fails for valid JSON.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = text(s)
		return nil
	}
	var parts []struct{ Type, Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var joined strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			joined.WriteString(p.Text)
		}
	}
	*t = text(joined.String())
	return nil
}

// A count is a number of tokens. Some servers send null or a fraction.
type count int

// UnmarshalJSON never fails for valid JSON.
func (c *count) UnmarshalJSON(raw []byte) error {
	var n float64
	if json.Unmarshal(raw, &n) == nil {
		*c = count(n)
	}
	return nil
}

// wholeAnswer reads an answer that is not streamed, which small servers and mocks also send
// where a stream was asked for.
func wholeAnswer(resp *http.Response, token func(string)) (*completion, error) {
	var out completion
	if err := wire.Decode(resp, &out); err != nil {
		return nil, fmt.Errorf("no chat completion: %w", err)
	}
	if len(out.Choices) > 0 && out.Choices[0].Message.Content != "" {
		token(string(out.Choices[0].Message.Content))
	}
	return &out, nil
}

// finish makes a Response of a completion. An answer without choices and a
// refusal are errors.
func (c *Client) finish(req models.Request, done *completion) (models.Response, error) {
	if len(done.Choices) == 0 {
		return models.Response{}, models.NewError(models.KindBadResponse, false, c.caller.Name+": the answer has no choices", nil)
	}
	choice := done.Choices[0]
	message := choice.Message
	switch {
	case message.Refusal != "":
		return models.Response{}, models.NewError(models.KindRefusal, false, c.caller.Name+": the model refused: "+string(message.Refusal), nil)
	case choice.FinishReason == "content_filter" && message.Content == "":
		return models.Response{}, models.NewError(models.KindRefusal, false, c.caller.Name+": the content filter held the answer back", nil)
	}
	resp := models.Response{
		Text:         string(message.Content),
		ToolCalls:    toolCalls(message.ToolCalls),
		Model:        string(done.Model),
		FinishReason: string(choice.FinishReason),
	}
	if resp.Model == "" {
		resp.Model = req.Model
	}
	var name string
	name, resp.Reasoning = message.thought()
	resp.Thinking = thinking(name, resp.Reasoning)
	if len(resp.ToolCalls) > 0 {
		resp.FinishReason = models.FinishToolCalls // some servers say "stop"
	} else {
		resp.Object = models.Object(req.Schema, resp.Text)
	}
	resp.Usage = c.usage(req, resp, done.Usage)
	return resp, nil
}

func toolCalls(calls []toolCall) []models.ToolCall {
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

func (c *Client) usage(req models.Request, resp models.Response, counted usage) models.Usage {
	used := models.Usage{
		InputTokens:     int(counted.PromptTokens),
		OutputTokens:    int(counted.CompletionTokens),
		CachedTokens:    int(counted.PromptTokensDetails.CachedTokens),
		ReasoningTokens: int(counted.CompletionTokensDetails.ReasoningTokens),
	}
	if used == (models.Usage{}) {
		used = models.EstimateUsage(req, resp)
	}
	used.Cost = c.prices.Cost(resp.Model, used)
	return used
}

package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/stepgraph/stepgraph/models"
)

// maxToolCalls bounds the index that a stream may name, since the calls up to it
// are made at once.
const maxToolCalls = 128

// stream asks for a stream, hands its text to token and puts the answer
// together. answer points at what option.WithResponseInto fills.
func (c *Client) stream(ctx context.Context, params openai.ChatCompletionNewParams, token func(string), answer **http.Response, options []option.RequestOption) (*openai.ChatCompletion, error) {
	stream := c.service.NewStreaming(ctx, params, options...)
	defer stream.Close()
	if stream.Err() == nil && isJSON(*answer) {
		return wholeAnswer(*answer, token)
	}
	var sum assembly
	for stream.Next() {
		if err := sum.add(stream.Current(), token); err != nil {
			return nil, err
		}
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return sum.completion(complete(*answer))
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
func wholeAnswer(answer *http.Response, token func(string)) (*openai.ChatCompletion, error) {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	var completion openai.ChatCompletion
	if err := json.Unmarshal(body, &completion); err != nil {
		return nil, fmt.Errorf("no chat completion: %w", err)
	}
	if len(completion.Choices) > 0 && completion.Choices[0].Message.Content != "" {
		token(completion.Choices[0].Message.Content)
	}
	return &completion, nil
}

// An assembly puts the chunks of a stream together. The library has an
// accumulator of its own, which turns away streams whose chunks differ in their
// id; compatible servers send such.
type assembly struct {
	model, content, refusal, finish string
	calls                           []openai.ChatCompletionMessageToolCallUnion
	usage                           openai.CompletionUsage
	thinks, thought                 string // under which name, and what
}

func (s *assembly) add(chunk openai.ChatCompletionChunk, token func(string)) error {
	if chunk.Model != "" {
		s.model = chunk.Model
	}
	if chunk.Usage.PromptTokens+chunk.Usage.CompletionTokens > 0 {
		s.usage = chunk.Usage
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			s.finish = choice.FinishReason
		}
		for _, delta := range choice.Delta.ToolCalls {
			if err := s.addCall(delta); err != nil {
				return err
			}
		}
		s.refusal += choice.Delta.Refusal
		if name, text := reasoning(choice.Delta.JSON.ExtraFields); name != "" {
			s.thinks, s.thought = name, s.thought+text
		}
		if choice.Delta.Content != "" {
			s.content += choice.Delta.Content
			token(choice.Delta.Content)
		}
	}
	return nil
}

// addCall adds a piece of a tool call: the first one has the id and the name, all
// have a part of the arguments.
func (s *assembly) addCall(delta openai.ChatCompletionChunkChoiceDeltaToolCall) error {
	index := max(delta.Index, 0) // some servers send -1 for a lone call
	if index >= maxToolCalls {
		return fmt.Errorf("the stream has a tool call number %d", index)
	}
	for int64(len(s.calls)) <= index {
		s.calls = append(s.calls, openai.ChatCompletionMessageToolCallUnion{Type: "function"})
	}
	call := &s.calls[index]
	if delta.ID != "" {
		call.ID = delta.ID
	}
	if delta.Function.Name != "" {
		call.Function.Name = delta.Function.Name
	}
	call.Function.Arguments += delta.Function.Arguments
	return nil
}

// completion returns the whole. A stream with neither a finish reason nor an end
// was cut off: half an answer must not pass for a whole one.
func (s *assembly) completion(ended bool) (*openai.ChatCompletion, error) {
	if s.finish == "" {
		if !ended {
			return nil, fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)
		}
		s.finish = models.FinishStop
	}
	out := &openai.ChatCompletion{Model: s.model, Usage: s.usage}
	message := openai.ChatCompletionMessage{Content: s.content, Refusal: s.refusal, ToolCalls: s.calls}
	message.JSON.ExtraFields = shown(s.thinks, s.thought)
	out.Choices = []openai.ChatCompletionChoice{{FinishReason: s.finish, Message: message}}
	return out, nil
}

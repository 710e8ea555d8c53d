package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/stepgraph/stepgraph/internal/sse"
	"github.com/stepgraph/stepgraph/models"
)

// maxToolCalls bounds the index that a stream may name, since the calls up to it
// are made at once.
const maxToolCalls = 128

// endOfStream is what the wire says after the last chunk.
const endOfStream = "[DONE]"

// A chunk is one event of a stream.
type chunk struct {
	Model   text  `json:"model"`
	Usage   usage `json:"usage"`
	Choices []struct {
		Index        int    `json:"index"`
		FinishReason text   `json:"finish_reason"`
		Delta        answer `json:"delta"`
	} `json:"choices"`
	Error json.RawMessage `json:"error"`
}

// readStream hands the text of a stream to token and puts the answer together.
func readStream(resp *http.Response, token func(string)) (*completion, error) {
	var sum assembly
	for event, err := range sse.Read(resp.Body, models.MaxBody) {
		if err != nil {
			return nil, err
		}
		if event.Data == endOfStream {
			return sum.completion(true)
		}
		var piece chunk
		if err := json.Unmarshal([]byte(event.Data), &piece); err != nil {
			return nil, fmt.Errorf("an event of the stream is not valid JSON: %w", err)
		}
		if len(piece.Error) > 0 && string(piece.Error) != "null" {
			return nil, inStream(resp.Header, complaint([]byte(event.Data)))
		}
		if err := sum.add(&piece, token); err != nil {
			return nil, err
		}
	}
	return sum.completion(false)
}

// An assembly puts the chunks of a stream together. It does not compare their ids: the
// chunks of some compatible servers differ in them.
type assembly struct {
	model, finish text
	message       answer
	usage         usage
}

func (s *assembly) add(piece *chunk, token func(string)) error {
	if piece.Model != "" {
		s.model = piece.Model
	}
	if piece.Usage.PromptTokens+piece.Usage.CompletionTokens > 0 {
		s.usage = piece.Usage
	}
	for i := range piece.Choices {
		choice := &piece.Choices[i]
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
		s.message.Refusal += choice.Delta.Refusal
		s.message.ReasoningContent += choice.Delta.ReasoningContent
		s.message.Reasoning += choice.Delta.Reasoning
		if choice.Delta.Content != "" {
			s.message.Content += choice.Delta.Content
			token(string(choice.Delta.Content))
		}
	}
	return nil
}

// addCall adds a piece of a tool call: the first one has the id and the name, all
// have a part of the arguments.
func (s *assembly) addCall(delta toolCall) error {
	index := 0
	if delta.Index != nil {
		index = max(*delta.Index, 0) // some servers send -1 for a lone call
	}
	if index >= maxToolCalls {
		return fmt.Errorf("the stream has a tool call number %d", index)
	}
	for len(s.message.ToolCalls) <= index {
		s.message.ToolCalls = append(s.message.ToolCalls, toolCall{})
	}
	call := &s.message.ToolCalls[index]
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
func (s *assembly) completion(ended bool) (*completion, error) {
	if s.finish == "" {
		if !ended {
			return nil, fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)
		}
		s.finish = models.FinishStop
	}
	return &completion{Model: s.model, Usage: s.usage, Choices: []choice{{FinishReason: s.finish, Message: s.message}}}, nil
}

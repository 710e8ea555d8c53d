package anthropic

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/stepgraph/stepgraph/internal/sse"
	"github.com/stepgraph/stepgraph/models"
)

// maxBlocks bounds the index of a block that a stream may name.
const maxBlocks = 4096

// An event is one event of a stream. Type says which of the other fields it has.
type event struct {
	Type    string  `json:"type"`
	Message message `json:"message"` // message_start
	Index   int     `json:"index"`   // content_block_…
	Block   block   `json:"content_block"`
	Delta   delta   `json:"delta"` // content_block_delta, message_delta
	Usage   usage   `json:"usage"` // message_delta
	Error   struct{ Type, Message string }
}

type delta struct {
	Type        string      `json:"type"`
	Text        string      `json:"text"`         // text_delta
	PartialJSON string      `json:"partial_json"` // input_json_delta
	Thinking    string      `json:"thinking"`     // thinking_delta
	Signature   string      `json:"signature"`    // signature_delta
	StopReason  string      `json:"stop_reason"`  // message_delta
	StopDetails stopDetails `json:"stop_details"` // message_delta
}

// readStream passes the text of a stream to token and assembles the message. A stream without
// its last event is an error, because an incomplete answer must not look complete.
func readStream(resp *http.Response, token func(string)) (*message, error) {
	var sum assembly
	for next, err := range sse.Read(resp.Body, models.MaxBody) {
		if err != nil {
			return nil, err
		}
		var ev event
		if err := json.Unmarshal([]byte(next.Data), &ev); err != nil {
			return nil, fmt.Errorf("an event of the stream is not valid JSON: %w", err)
		}
		if err := sum.add(&ev); err != nil {
			return nil, err
		}
		if ev.Type == "content_block_delta" && ev.Delta.Type == "text_delta" && ev.Delta.Text != "" {
			token(ev.Delta.Text)
		}
		if ev.Type == "message_stop" {
			return sum.whole(), nil
		}
	}
	return nil, fmt.Errorf("the stream ended before the answer did: %w", io.ErrUnexpectedEOF)
}

// An assembly builds a message from the events of a stream.
type assembly struct {
	message message
	inputs  []string // JSON text of tool_use inputs by block index
}

func (s *assembly) add(ev *event) error {
	switch ev.Type {
	case "error":
		return inStream(ev.Error.Type, ev.Error.Message)
	case "message_start":
		s.message = ev.Message
	case "content_block_start", "content_block_delta":
		return s.addBlock(ev)
	case "message_delta":
		s.message.StopReason, s.message.StopDetails = ev.Delta.StopReason, ev.Delta.StopDetails
		s.message.Usage.update(&ev.Usage)
	}
	return nil // ping, and event types added later
}

func (s *assembly) addBlock(ev *event) error {
	if ev.Index < 0 || ev.Index >= maxBlocks {
		return fmt.Errorf("the stream has a content block number %d", ev.Index)
	}
	for len(s.message.Content) <= ev.Index {
		s.message.Content = append(s.message.Content, block{})
	}
	for len(s.inputs) <= ev.Index {
		s.inputs = append(s.inputs, "")
	}
	b := &s.message.Content[ev.Index]
	if ev.Type == "content_block_start" {
		*b = ev.Block
	}
	b.Text += ev.Delta.Text
	b.Thinking += ev.Delta.Thinking
	b.Signature += ev.Delta.Signature
	s.inputs[ev.Index] += ev.Delta.PartialJSON
	return nil
}

// whole returns the message. The input of a tool that came in pieces replaces the empty one
// its block began with; it may be invalid JSON, which models.Arguments keeps as text.
func (s *assembly) whole() *message {
	for i, input := range s.inputs {
		if input != "" {
			s.message.Content[i].Input = json.RawMessage(input)
		}
	}
	return &s.message
}

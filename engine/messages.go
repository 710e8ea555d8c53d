package engine

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Bounds of the messages a state keeps.
const (
	defaultMessageWindow = 20
	messageWindowBytes   = 16 << 10
)

// say puts a message into the chat: the newest stay in the state, each becomes a MESSAGE.
func (r *runner) say(role, content, step string) {
	r.counters.Messages++
	m := Message{Role: role, Content: content, Step: step, At: r.now(), N: r.counters.Messages,
		ID: fmt.Sprintf("%s/%d", r.id, r.counters.Messages)}
	text, err := jsontext.Marshal(m)
	if err != nil {
		return // a message of plain fields always encodes
	}
	window := r.def.Workflow.Settings.MessageWindow
	if window == 0 {
		window = defaultMessageWindow
	}
	r.state.addMessage(text, window)
	r.unwritten.messages = append(r.unwritten.messages, m)
	r.unwritten.bytes += len(text)
	r.unwritten.touch()
	r.event(EventMessage, m)
}

// addMessage appends a message and drops the oldest beyond the window; the newest stays
// however large it is.
func (s *State) addMessage(text json.RawMessage, window int) {
	s.messages = append(s.messages, text)
	size := 0
	for i := len(s.messages) - 1; i >= 0; i-- {
		size += len(s.messages[i])
		if kept := len(s.messages) - i; kept > window || kept > 1 && size > messageWindowBytes {
			s.messages = append([]json.RawMessage(nil), s.messages[i+1:]...)
			return
		}
	}
}

// Messages returns the messages the state keeps, oldest first. Entries of LUNA, which
// have other fields besides, are read too; what is no message is left out.
func (s *State) Messages() []Message {
	out := make([]Message, 0, len(s.messages))
	for _, text := range s.messages {
		var m struct {
			Message
			Timestamp float64 `json:"timestamp"`
			MessageID string  `json:"_message_id"`
			PromptID  string  `json:"_prompt_id"`
		}
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		if m.ID == "" {
			m.ID = m.MessageID + m.PromptID
		}
		if m.At == 0 {
			m.At = int64(m.Timestamp * 1000)
		}
		out = append(out, m.Message)
	}
	return out
}

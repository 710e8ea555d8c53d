package state

import (
	"encoding/json"
	"sync"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// Bounds of the messages a state keeps. MessageWindow is how many where the workflow does not
// say.
const (
	MessageWindow      = 20
	messageWindowBytes = 16 << 10
)

// chat is the newest messages of the session, as the JSON text they are.
type chat struct{ messages []json.RawMessage }

// AddMessage appends a message and drops the oldest beyond the window; the newest stays
// however large it is.
func (c *chat) AddMessage(text json.RawMessage, window int) {
	c.messages = append(c.messages, text)
	size := 0
	for i := len(c.messages) - 1; i >= 0; i-- {
		size += len(c.messages[i])
		if kept := len(c.messages) - i; kept > window || kept > 1 && size > messageWindowBytes {
			c.messages = append([]json.RawMessage(nil), c.messages[i+1:]...)
			return
		}
	}
}

// BeginChat makes messages the chat of a session that begins: all of them, whatever the window.
func (c *chat) BeginChat(texts []json.RawMessage) { c.messages = texts }

// TrimChat drops the oldest messages beyond the window that a state has by default.
func (c *chat) TrimChat() {
	texts := c.messages
	c.messages = nil
	for _, text := range texts {
		c.AddMessage(text, MessageWindow)
	}
}

// A ChatWindow is the messages that a state kept at one moment. They are decoded when they are
// first asked for, once for all that share the window: most steps ask for none, and one message
// may be large.
type ChatWindow struct {
	texts    []json.RawMessage
	decode   sync.Once
	messages []function.Message
}

// ChatNow returns the messages that the state keeps now. Later changes of the state do not change
// them.
func (c *chat) ChatNow() *ChatWindow { return &ChatWindow{texts: c.messages} }

// Messages returns the messages, oldest first. The caller must not change them.
func (w *ChatWindow) Messages() []function.Message {
	if w == nil {
		return nil
	}
	w.decode.Do(func() { w.messages, w.texts = decodeMessages(w.texts), nil })
	return w.messages
}

// Messages returns the messages that the state keeps, oldest first. Entries of LUNA, which have
// additional fields, are included; entries that are not messages are omitted.
func (c *chat) Messages() []function.Message { return decodeMessages(c.messages) }

func decodeMessages(texts []json.RawMessage) []function.Message {
	out := make([]function.Message, 0, len(texts))
	for _, text := range texts {
		var m struct {
			function.Message
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

// CheckMessages sees that the chat of a text that a person gave still is one.
func (c *chat) CheckMessages() error {
	for i, text := range c.messages {
		var m function.Message
		if err := json.Unmarshal(text, &m); err != nil {
			return store.Detailf(store.ErrBadRequest, "data.messages[%d]: %v", i, err)
		}
	}
	return nil
}

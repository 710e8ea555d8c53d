package luna

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// A message is a line of the chat: prompts have a _prompt_id, all others a _message_id.
type message struct {
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	Timestamp float64 `json:"timestamp"` // seconds
	MessageID string  `json:"_message_id,omitempty"`
	PromptID  string  `json:"_prompt_id,omitempty"`
}

func (l *luna) messages(ctx context.Context, s *engine.Session) ([]message, error) {
	list, err := l.e.Messages(ctx, s.ID, engine.HistoryQuery{Newest: true, Limit: shownLimit})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		list = s.Messages // the chat of a session imported from LUNA is only in its state
	}
	prompts := promptsOf(list, s.Awaiting)
	out := make([]message, len(list))
	for i, m := range list {
		out[i] = message{Role: m.Role, Content: m.Content, Timestamp: float64(m.At) / 1000}
		if prompts[i] {
			out[i].PromptID = shortID(m.ID)
		} else {
			out[i].MessageID = shortID(m.ID)
		}
	}
	return out, nil
}

// promptsOf returns which messages are prompts: those that the step's next message answers,
// and the newest of a step with an open question.
func promptsOf(list []engine.Message, open []engine.Question) map[int]bool {
	next := map[string]string{} // step to the role of its message after this one
	for _, q := range open {
		next[q.Step] = "user"
	}
	prompts := map[int]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		m := list[i]
		prompts[i] = m.Role == "assistant" && next[m.Step] == "user"
		next[m.Step] = m.Role
	}
	return prompts
}

// shortID is eight hexadecimal digits, the same for a message every time.
func shortID(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash takes everything
	return fmt.Sprintf("%08x", h.Sum32())
}

// awaiting is LUNA's awaiting_input: null, or the open question's entry without its texts.
func (l *luna) awaiting(ctx context.Context, s *engine.Session) (json.RawMessage, error) {
	if len(s.Awaiting) == 0 {
		return json.RawMessage("null"), nil
	}
	text, _, err := l.e.State(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	state, err := engine.ParseState(s.ID, text)
	if err != nil {
		return nil, err
	}
	outputs := state.Outputs(s.Awaiting[0].Step)
	if len(outputs) == 0 || !gjson.ParseBytes(outputs[len(outputs)-1]).IsObject() {
		return json.RawMessage("{}"), nil
	}
	entry := append([]byte(nil), outputs[len(outputs)-1]...)
	for _, field := range []string{"prompt", "query", "message", "content", "text"} {
		if entry, err = sjson.DeleteBytes(entry, field); err != nil {
			return nil, fmt.Errorf("session %s: question of step %q: %w", s.ID, s.Awaiting[0].Step, err)
		}
	}
	return entry, nil
}

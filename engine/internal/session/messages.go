package session

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// say puts a message into the chat: the newest stay in the state, each becomes a MESSAGE.
func (r *ledger) say(role, content, step string) {
	n := r.counters.NextMessage()
	m := function.Message{Role: role, Content: content, Step: step, At: r.now(), N: n,
		ID: fmt.Sprintf("%s/%d", r.id, n)}
	text, err := jsontext.Marshal(m)
	if err != nil {
		return // a message of plain fields always encodes
	}
	window := r.def.Workflow.Settings.MessageWindow
	if window == 0 {
		window = state.MessageWindow
	}
	r.state.AddMessage(text, window)
	r.unwritten.messages = append(r.unwritten.messages, m)
	r.unwritten.bytes += len(text)
	r.unwritten.touch()
	r.event(event.EventMessage, m)
}

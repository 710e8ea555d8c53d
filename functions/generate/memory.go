package generate

import (
	"context"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// Values of the field memory.
const (
	memoryWindow  = "window"
	memoryAll     = "all"
	memoryNone    = "none"
	memorySummary = "summary"
)

// A Past identifies the part of the session's chat that a question was sent with. A function
// that calls the model in rounds keeps it, so that all rounds send the same messages even if
// others are added meanwhile.
type Past struct {
	Until   string `json:"until,omitempty"`   // id of the newest message at that time
	Empty   bool   `json:"empty,omitempty"`   // there was no message
	Summary string `json:"summary,omitempty"` // replaces the older messages
}

// said returns the chat messages to send, oldest first. The newest message is left out if it
// equals the field user: a person's answer is in the chat and in the step's input.
func (in Input) said(ctx context.Context, past *Past) ([]function.Message, *Past, error) {
	n, wanted, err := in.memory()
	if err != nil || !wanted {
		return nil, past, err
	}
	ask := n
	if n > 0 {
		ask = n + 1 // the newest may be left out
		if past != nil {
			ask += reach
		}
	}
	said, err := function.CallOf(ctx).Messages(ctx, ask)
	if err != nil {
		return nil, past, err
	}
	if past == nil {
		past = &Past{Empty: len(said) == 0}
		if len(said) > 0 {
			past.Until = said[len(said)-1].ID
		}
	}
	said = past.cut(said)
	if last := len(said) - 1; last >= 0 && same(said[last], string(in.User)) {
		said = said[:last]
	}
	if n > 0 && len(said) > n {
		said = said[len(said)-n:]
	}
	kept := make([]function.Message, 0, len(said))
	for _, m := range said {
		if m.Content != "" && (m.Role == models.RoleUser || m.Role == models.RoleAssistant) {
			kept = append(kept, m)
		}
	}
	return kept, past, nil
}

// reach is how many messages may be added to the chat during the rounds of one question before
// the oldest of its n messages are no longer found.
const reach = 50

// cut removes messages that were added after the first round.
func (p *Past) cut(said []function.Message) []function.Message {
	if p.Empty {
		return nil
	}
	for i, m := range said {
		if p.Until != "" && m.ID == p.Until {
			return said[:i+1]
		}
	}
	return said
}

func same(m function.Message, user string) bool {
	return m.Role == models.RoleUser && strings.TrimSpace(m.Content) == strings.TrimSpace(user)
}

// memory returns how many chat messages are sent: n, -1 for all, 0 for the number that the
// state keeps.
func (in Input) memory() (n int, wanted bool, err error) {
	n, wanted, err = in.history()
	switch in.Memory {
	case "":
		return n, wanted, err
	case memoryNone:
		return 0, false, err
	case memoryAll:
		return -1, true, err
	case memoryWindow:
		return n, true, err
	case memorySummary:
		if !wanted || n == 0 {
			n = -1
		}
		return n, true, err
	}
	return 0, false, input.Bad("memory: want window, all, summary or none, not %q", in.Memory)
}

// history reads the field history, the older form of memory.
func (in Input) history() (n int, wanted bool, err error) {
	text := strings.ToLower(strings.TrimSpace(input.TextOf(in.History)))
	switch text {
	case "":
		return 0, bool(in.IncludeHistory), nil
	case "true":
		return 0, true, nil
	case "false", "0":
		return 0, false, nil
	case "all":
		return -1, true, nil
	}
	var count input.Int
	if err := count.UnmarshalJSON(in.History); err != nil || count < 0 {
		return 0, false, input.Bad("history: want a number of messages or all, not %s", in.History)
	}
	return int(count), true, nil
}

package flowise

import (
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// Roles of messages in Flowise's list of messages.
const (
	UserMessage = "userMessage"
	APIMessage  = "apiMessage"
)

// A Spoken is a message of a conversation: a request, or the answer to it.
type Spoken struct {
	Role    string // UserMessage or APIMessage
	Content string
	At      time.Time
	Asks    bool // it asks a person, see Action
}

// Conversation returns the messages of a run: for each request its message and one answer,
// however many nodes produced text. said are the session's messages. A run that failed or is
// still running has no answer.
func Conversation(run Run, entries []Entry, said []engine.Message) []Spoken {
	var out []Spoken
	if question := questionOf(entries); question != "" {
		out = append(out, Spoken{Role: UserMessage, Content: question, At: run.Session.CreatedAt})
	}
	var answer *engine.Message
	for i := range said {
		m := &said[i]
		if m.Role == "assistant" {
			answer = m
			continue
		}
		if answer != nil {
			out = append(out, Spoken{Role: APIMessage, Content: answer.Content, At: time.UnixMilli(answer.At), Asks: true})
			answer = nil
		}
		out = append(out, Spoken{Role: UserMessage, Content: feedback(m.Content), At: time.UnixMilli(m.At)})
	}
	if state := State(run.Session); state == Finished || state == Stopped {
		out = append(out, Spoken{Role: APIMessage, Content: gjson.ParseBytes(Text(entries)).String(), At: run.Session.UpdatedAt, Asks: state == Stopped})
	}
	return out
}

// feedback is what a person said beside a choice: a blank for the choice alone, as there.
func feedback(said string) string {
	if said == "proceed" || said == "reject" {
		return " "
	}
	return said
}

// questionOf is what a run was begun with.
func questionOf(entries []Entry) string {
	for i := range entries {
		if entries[i].Data.Name == kindStart {
			return startedWith(gjson.ParseBytes(entries[i].Data.Output))
		}
	}
	return ""
}

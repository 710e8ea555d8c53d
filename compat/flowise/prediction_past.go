package flowise

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// pastBytes bounds what is carried from turn to turn of a conversation.
const pastBytes = 512 << 10

// PastOf returns the messages of a conversation for the next run: the run's own past and its
// last answer. A failed run has no answer.
func PastOf(run Run, past json.RawMessage, entries []Entry) []ChatMessage {
	var out []ChatMessage
	for _, one := range gjson.ParseBytes(past).Array() {
		out = append(out, ChatMessage{Role: one.Get("role").String(), Content: one.Get("content").String(), Name: one.Get("name").String()})
	}
	if state := State(run.Session); state == Finished || state == Stopped {
		out = append(out, ChatMessage{Role: "user", Content: saidIn(run)}, ChatMessage{Role: "assistant", Content: gjson.ParseBytes(Text(entries)).String()})
	}
	size := 0
	for i := len(out) - 1; i >= 0; i-- {
		if size += len(out[i].Content) + 64; size > pastBytes {
			return out[i+1:]
		}
	}
	return out
}

// saidIn is what the person said last in a run: the question or form, else the remark to what
// was asked; a blank where there is none.
func saidIn(run Run) string {
	said := ""
	r := newRecorder(run)
	for i := range run.Executions {
		x := &run.Executions[i]
		n := r.graph.nodes[x.Step]
		switch {
		case n == nil:
		case x.Status == engine.StatusAnswered:
			said = remarkOf(gjson.ParseBytes(x.Output))
		case n.name == kindAgent && x.Status == engine.StatusComplete:
			if asked, remark := r.permitted(n.id, x.Visit); asked {
				said = remark
			}
		case n.name == kindStart && x.Status == engine.StatusComplete:
			said = startedWith(gjson.ParseBytes(x.Output))
		}
	}
	if said == "" {
		return " "
	}
	return said
}

// LastState returns the latest flow state of a run, nil for none.
func LastState(entries []Entry) json.RawMessage {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Data.State != nil {
			return entries[i].Data.State
		}
	}
	return nil
}

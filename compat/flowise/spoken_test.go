package flowise

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// Each request brings one message and gets one, however many nodes spoke.
func TestConversation(t *testing.T) {
	entries := []Entry{
		{Data: EntryData{Name: kindStart, Output: json.RawMessage(`{"question":"go"}`)}},
		{Data: EntryData{Name: kindDirectReply, Output: json.RawMessage(`{"content":"sent"}`)}},
	}
	said := []engine.Message{{Role: "assistant", Content: "Working on it", At: 1}, {Role: "assistant", Content: "All right?", At: 2},
		{Role: "user", Content: "proceed", At: 3}, {Role: "assistant", Content: "Really?", At: 4}, {Role: "user", Content: "yes, really", At: 5}, {Role: "assistant", Content: "sent", At: 6}}
	for status, last := range map[string]*Spoken{engine.StatusComplete: {Role: APIMessage, Content: "sent"}, engine.StatusError: nil, engine.StatusActive: nil} {
		run := Run{Session: &engine.Session{Status: status, CreatedAt: time.UnixMilli(0), UpdatedAt: time.UnixMilli(7)}}
		want := []Spoken{{Role: UserMessage, Content: "go"}, {Role: APIMessage, Content: "All right?", Asks: true}, {Role: UserMessage, Content: " "},
			{Role: APIMessage, Content: "Really?", Asks: true}, {Role: UserMessage, Content: "yes, really"}}
		if last != nil {
			want = append(want, *last)
		}
		got := Conversation(run, entries, said)
		if len(got) != len(want) {
			t.Fatalf("%s: got %+v", status, got)
		}
		for i := range got {
			if got[i].Role != want[i].Role || got[i].Content != want[i].Content || got[i].Asks != want[i].Asks {
				t.Errorf("%s: message %d is %+v, want %+v", status, i, got[i], want[i])
			}
		}
	}
}

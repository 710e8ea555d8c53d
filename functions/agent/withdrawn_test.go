package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/models"
)

func TestRejectedCalls(t *testing.T) {
	no := &function.SessionError{Kind: function.KindRejected, Message: "do it by hand"}
	alone := function.TranscriptEntry{Entry: json.RawMessage(`{"text":"I add","tool_calls":[{"id":"1","name":"add","arguments":{"a":2}}]}`),
		Results: []function.ToolResult{{ID: "1", Tool: "add", Error: no}}}
	both := function.TranscriptEntry{Entry: json.RawMessage(`{"text":"I do","tool_calls":[{"id":"1","name":"add","arguments":{"a":2}},{"id":"2","name":"ask_dep","arguments":{}}]}`),
		Results: []function.ToolResult{{ID: "1", Tool: "add", Error: no}, {ID: "2", Tool: "ask_dep", Output: json.RawMessage(`{"response":"dep"}`)}}}
	const told = `{"error":"do it by hand","errorCode":"rejected"}`
	for name, c := range map[string]struct {
		more  string
		past  function.TranscriptEntry
		asked string
		tools int
	}{
		"told":                 {``, alone, "user:2+2? | assistant:I add | tool:" + told, 3},
		"told, by name":        {`,"on_reject":"tell"`, alone, "user:2+2? | assistant:I add | tool:" + told, 3},
		"withdrawn":            {`,"on_reject":"withdraw"`, alone, "user:2+2?", 2},
		"withdrawn, of two":    {`,"on_reject":"withdraw"`, both, "user:2+2? | assistant:I do | tool:dep", 2},
		"withdrawn, was alone": {`,"on_reject":"withdraw","tools":["add"]`, alone, "user:2+2?", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{replies: []models.Response{{Text: "Four."}}}
			out, err := round(t, p, &function.Recorder{}, &function.Call{Tools: tools, Transcript: []function.TranscriptEntry{c.past}}, `{"prompt":"2+2?"`+c.more+`}`)
			if err != nil {
				t.Fatalf("got %s, %v", out, err)
			}
			if got := spoken(p.asked[0].Messages); got != c.asked || len(p.asked[0].Tools) != c.tools {
				t.Errorf("asked %s, with %d tools\nwant  %s, %d", got, len(p.asked[0].Tools), c.asked, c.tools)
			}
			if got := p.asked[0].Messages; len(got) == 3 && len(got[1].ToolCalls) != 1 {
				t.Errorf("the model sees the calls %v", got[1].ToolCalls)
			}
		})
	}
	_, err := call(t, &played{}, `{"prompt":"u","on_reject":"stop"}`)
	if want := `on_reject: want tell or withdraw, not "stop"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

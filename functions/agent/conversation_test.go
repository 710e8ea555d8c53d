package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

// round plays one round that heard listens to.
func round(t *testing.T, p *played, heard *function.Recorder, c *function.Call, input string) (json.RawMessage, error) {
	t.Helper()
	c.Step, c.Key = "a", "s/a/1/1"
	return agent.Extended(generate.Options{Models: p}, "agent", "").Function.Call(function.WithSink(function.WithCall(t.Context(), c), heard), json.RawMessage(input))
}

func spoken(list []models.Message) string {
	var lines []string
	for _, m := range list {
		lines = append(lines, m.Role+":"+m.Content)
	}
	return strings.Join(lines, " | ")
}

func TestConversationIsKeptWithTheFinalAnswer(t *testing.T) {
	const input = `{"system":"S","memory":"summary","messages":[{"role":"user","content":"m"}],"user":"u",
		"conversation":{"name":"c","question":"2+2?","as":"sums","past":[{"role":"user","content":"old"}]}}`
	p := &played{replies: []models.Response{{Text: "SUM"}, wants("1", "add", `{"a":2}`), {Text: "Four."}}}
	heard := &function.Recorder{}
	_, err := round(t, p, heard, &function.Call{Tools: tools}, input)
	var over *function.CallTools
	if !errors.As(err, &over) {
		t.Fatalf("got %v", err)
	}
	if heard.Named != nil {
		t.Errorf("kept %s before there was an answer", heard.Named)
	}
	past := []function.TranscriptEntry{{Entry: over.Entry, Results: []function.ToolResult{{ID: "1", Tool: "add", Output: json.RawMessage(`4`)}}}}
	if _, err := round(t, p, heard, &function.Call{Tools: tools, Transcript: past}, input); err != nil {
		t.Fatal(err)
	}
	const frame = "system:S | user:m | assistant:SUM | user:u"
	if len(p.asked) != 3 { // summed up once for all rounds
		t.Fatalf("the model was asked %d times", len(p.asked))
	}
	if got := spoken(p.asked[1].Messages); got != frame {
		t.Errorf("asked %s\nwant  %s", got, frame)
	}
	if got := spoken(p.asked[2].Messages); got != frame+" | assistant:hm | tool:4" {
		t.Errorf("asked %s", got)
	}
	if got, want := string(heard.Named["c"]), `[{"role":"user","content":"2+2?"},{"role":"assistant","content":"Four.","name":"sums"}]`; got != want {
		t.Errorf("kept %s\nwant %s", got, want)
	}
}

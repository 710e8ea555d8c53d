package callcentre_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
)

// hotel is a graph with a router, two departments of which one consults the other, and a tool.
const hotel = `{"nodes": [
	{"id": "r", "type": "routerNode", "data": {"agentName": "Desk", "speaksFirst": true, "firstSentence": "Good evening.",
		"guardrails": {"bannedPhrases": ["refund"], "fallbackResponse": "Let me look into that."}}},
	{"id": "d", "type": "departmentNode", "data": {"agentName": "Rooms"}},
	{"id": "e", "type": "departmentNode", "data": {"agentName": "Billing"}},
	{"id": "t", "type": "subAgentNode", "data": {"functionName": "look", "isGoal": true}},
	{"id": "i", "type": "integrationNode", "data": {"integrationType": "mock", "mockOutput": "{\"room\": 12}"}}],
	"edges": [{"id": "1", "source": "r", "target": "d"}, {"id": "2", "source": "d", "target": "e"}, {"id": "3", "source": "d", "target": "t"}, {"id": "4", "source": "t", "target": "i"}]}`

func load(t *testing.T, text string) *engine.Workflow {
	t.Helper()
	f, err := callcentre.Parse("hotel.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w := f.Workflows[0]
	w.ID = "call"
	w.Normalize()
	return &w
}

// turns reads turns of the form {"caller": ..., "replies": ...}.
func turns(t *testing.T, text string) recordedCall {
	t.Helper()
	var call recordedCall
	if err := json.Unmarshal([]byte(text), &call.Turns); err != nil {
		t.Fatal(err)
	}
	return call
}

func chat(p *played) string { return strings.Join(p.Chat(), " | ") }

func TestConversation(t *testing.T) {
	call := turns(t, `[
		{"caller": "Hi", "replies": {"r": [{"text": "How can I help?"}]}},
		{"caller": "My money", "replies": {"r": [{"text": "You get a Refund."}]}},
		{"caller": "What?", "replies": {}},
		{"caller": "Bye", "replies": {"r": [{"text": "Bye."}]}},
		{"caller": "", "replies": {}}]`)
	p := play(t, load(t, hotel), call, newStub(t))
	want := "assistant: Good evening. | user: Hi | assistant: How can I help? | user: My money | assistant: Let me look into that. | " +
		"user: What? | assistant: Let me look into that. | user: Bye | assistant: Bye. | user: "
	if got := chat(p); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// The model failed at the third turn, which the caller heard as an apology; the empty
	// answer hung up. Such a call is not an error.
	if p.Status("r-caller") != engine.StatusComplete || p.Session.Status != engine.StatusComplete {
		t.Errorf("the session is %s, %+v", p.Session.Status, p.Session.Error)
	}
	last := p.asked[len(p.asked)-1]
	var history []string
	for _, m := range last.Messages[1:] {
		history = append(history, m.Content)
	}
	if got := strings.Join(history, "/"); !strings.HasPrefix(got, "Good evening./Hi/How can I help?/My money/") || !strings.HasSuffix(got, "/Bye") || strings.Count(got, "Bye") != 1 {
		t.Errorf("the router was told %s", got)
	}
}

// An agent whose own model fails is marked as failed, the router and a department.
func TestTraceMarksFailedAgents(t *testing.T) {
	w := load(t, hotel)
	call := turns(t, `[
		{"caller": "Hi", "replies": {}},
		{"caller": "A room", "replies": {"r": [{"calls": [{"name": "consult_Rooms_d", "args": {"query": "free?"}}]}, {"text": "Later."}]}}]`)
	p := play(t, w, call, newStub(t))
	var failed []string
	for _, e := range callcentre.Trace(w, p.Executions) {
		if e.Kind == callcentre.EventNodeError {
			failed = append(failed, e.Node+": "+e.Error)
		}
	}
	want := []string{"r: agent r has no reply 1", "d: agent d has no reply 1"}
	if !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
}

// What looks like a reference in a graph is text.
func TestTextsHoldNoReferences(t *testing.T) {
	text := strings.NewReplacer(`"refund"`, `"@{x}", "refund"`, "Let me look", "@{SESSION_ID}.r: let me look", "Good evening.", "Good @{SESSION_ID}.").Replace(hotel)
	p := play(t, load(t, text), turns(t, `[{"caller": "Hi", "replies": {"r": [{"text": "A refund."}]}}, {"caller": "@{SESSION_ID}", "replies": {"r": [{"text": "An @{X}."}]}}]`), newStub(t))
	want := "assistant: Good @{SESSION_ID}. | user: Hi | assistant: @{SESSION_ID}.r: let me look into that. | user: @{SESSION_ID} | assistant: @{SESSION_ID}.r: let me look into that."
	if got := chat(p); got != want || len(p.asked) != 2 { // a router that failed would say the same
		t.Errorf("got  %s\nwant %s, %d questions", got, want, len(p.asked))
	}
}

func TestStartWithAPrompt(t *testing.T) {
	call := turns(t, `[{"caller": "Hi", "replies": {"r": [{"text": "Hello."}]}}]`)
	p := &played{stub: newStub(t)}
	s := &script{t: t, turns: call.Turns, at: -1, played: p}
	p.Result = enginetest.Play(t, enginetest.Game{Workflow: load(t, hotel), Registry: registry(s, nil), Inputs: map[string]string{"prompt": "Hi"}, Timeout: 10 * time.Second})
	if got := chat(p); got != "assistant: Good evening. | user: Hi | assistant: Hello." || p.Session.Status != engine.StatusAwaitingInput {
		t.Errorf("got %s, %s", got, p.Session.Status)
	}
}

var fiveRounds = strings.Repeat(`{"calls": [{"name": "look_t", "args": {}}]},`, 5)

// A department consults another; marks and limits reach the router.
func TestDepartments(t *testing.T) {
	for name, c := range map[string]struct{ replies, told string }{
		"peer":    {`"d": [{"calls": [{"name": "consult_Billing_e", "args": {"query": "due?"}}]}, {"text": "All paid."}], "e": [{"text": "Nothing is due."}]`, "All paid."},
		"clarify": {`"d": [{"text": "Hm. CLARIFY: which room?"}]`, "[CLARIFY: which room?]"},
		"ask":     {`"d": [{"text": "ASK_USER: your name?"}]`, "ASK_USER: your name?"},
		"limit":   {`"d": [` + fiveRounds + `{"calls": [{"name": "look_t", "args": {}}]}]`, `"errorCode":"AGENT_TURN_LIMIT"`},
		"out":     {`"d": [` + strings.TrimSuffix(fiveRounds, ",") + `]`, `"errorCode":"AGENT_TURN_LIMIT"`},
		"last":    {`"d": [` + fiveRounds + `{"text": "Room 12 at last."}]`, "Room 12 at last."},
		"tool":    {`"d": [{"calls": [{"name": "look_t", "args": {"query": "12"}}]}, {"text": "Room 12."}]`, "Room 12."},
	} {
		t.Run(name, func(t *testing.T) {
			call := turns(t, `[{"caller": "Well?", "replies": {"r": [{"calls": [{"name": "consult_Rooms_d", "args": {"query": "q"}}]}, {"text": "So be it."}], `+c.replies+`}}]`)
			w := load(t, hotel)
			p := play(t, w, call, newStub(t))
			if told := fmt.Sprint(p.toldResults("r", "consult_Rooms_d")); !strings.Contains(told, c.told) {
				t.Errorf("the router was told %s, want %s", told, c.told)
			}
			if got := chat(p); got != "assistant: Good evening. | user: Well? | assistant: So be it." {
				t.Errorf("said %s", got)
			}
			counts := callcentre.Usage(w, p.Executions)
			want := map[string]map[string]int{"peer": {"r": 1, "d": 1, "e": 1}, "clarify": {"r": 1, "d": 1}, "ask": {"r": 1, "d": 1}, "limit": {"r": 1, "d": 1, "t": 5, "i": 5}, "out": {"r": 1, "d": 1, "t": 5, "i": 5}, "last": {"r": 1, "d": 1, "t": 5, "i": 5}, "tool": {"r": 1, "d": 1, "t": 1, "i": 1}}[name]
			if fmt.Sprint(counts) != fmt.Sprint(want) {
				t.Errorf("counts %v, want %v", counts, want)
			}
			if callcentre.Goals(w, p.Executions)["t"] != (want["t"] > 0) {
				t.Error("the goal is wrong")
			}
		})
	}
}

func TestConnectionAlone(t *testing.T) {
	w := load(t, hotel)
	p := &played{}
	r := registry(&script{t: t, at: -1, played: p}, nil)
	got := enginetest.Play(t, enginetest.Game{Workflow: w, Registry: r, Entry: "i", Inputs: json.RawMessage(`{"arguments": {"number": 7}}`), Timeout: 10 * time.Second})
	var out struct {
		Success bool
		Data    json.RawMessage
		Raw     json.RawMessage
	}
	if err := json.Unmarshal(got.Output("i"), &out); err != nil || !out.Success || string(out.Data) != `{"room":12}` || !strings.Contains(string(out.Raw), `"number":7`) {
		t.Errorf("%v: %s", err, got.Output("i"))
	}
	if len(got.Executions) != 1 {
		t.Errorf("%v", got.Steps())
	}
}

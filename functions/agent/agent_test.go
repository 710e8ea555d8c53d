package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/generate"
	"github.com/stepgraph/stepgraph/models"
)

// played is a model that answers from a list and keeps what it was asked.
type played struct {
	replies []models.Response
	asked   []models.Request
	fails   error // in place of an answer
}

func (p *played) Model(string) (models.Model, string, error) {
	return models.Func(func(_ context.Context, q models.Request) (models.Response, error) {
		p.asked = append(p.asked, q)
		if p.fails != nil {
			return models.Response{}, p.fails
		}
		if len(p.asked) > len(p.replies) {
			return models.Response{}, errors.New("asked too often")
		}
		return p.replies[len(p.asked)-1], nil
	}), "m", nil
}

func (p *played) Endpoint(models.Endpoint) (models.Model, error) { return nil, errors.New("none") }

var tools = []function.ToolInfo{
	{Name: "add", Step: "add", Function: "code", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`)},
	{Name: "ask_dep", Step: "dep", Function: "agent", Parameters: json.RawMessage(`{"type":"object"}`)},
	{Name: "show", Step: "show", Function: "template", Parameters: json.RawMessage(`{"type":"object"}`), Properties: map[string]any{"return_direct": true}},
}

// call plays one round.
func call(t *testing.T, p *played, input string, past ...function.TranscriptEntry) (json.RawMessage, error) {
	t.Helper()
	spec := agent.Extended(generate.Options{Models: p, Profiles: func() map[string]generate.Profile {
		return map[string]generate.Profile{"terse": {System: "Be terse."}, "clerk": {Tools: []string{"add", "dep", "of another agent"}}}
	}}, "agent", "")
	ctx := function.WithCall(t.Context(), &function.Call{Step: "a", Key: "s/a/1/1", Tools: tools, Transcript: past})
	return spec.Function.Call(ctx, json.RawMessage(input))
}

func wants(id, name, arguments string) models.Response {
	return models.Response{Text: "hm", ToolCalls: []models.ToolCall{{ID: id, Name: name, Arguments: json.RawMessage(arguments)}},
		Usage: models.Usage{InputTokens: 10, OutputTokens: 5}}
}

func TestRoundsHandOverAndEnd(t *testing.T) {
	p := &played{replies: []models.Response{
		{Text: "hm", ToolCalls: []models.ToolCall{{ID: "1", Name: "add", Arguments: json.RawMessage(`{"a":2}`)}, {ID: "2", Name: "nope", Arguments: json.RawMessage(`{}`)},
			{ID: "2", Name: "add", Arguments: json.RawMessage(`{"a":"x"}`)}}, Usage: models.Usage{InputTokens: 10, OutputTokens: 5}},
		{Text: "It is four.", Usage: models.Usage{InputTokens: 20, OutputTokens: 5}},
	}}
	_, err := call(t, p, `{"system": "S", "prompt": "2+2?"}`)
	var over *function.CallTools
	if !errors.As(err, &over) {
		t.Fatalf("got %v", err)
	}
	if len(over.Calls) != 1 || over.Calls[0].ID != "1" || over.Calls[0].Tool != "add" || string(over.Calls[0].Arguments) != `{"a":2}` {
		t.Fatalf("calls %+v", over.Calls)
	}
	out, err := call(t, p, `{"system": "S", "query": "2+2?"}`,
		function.TranscriptEntry{Entry: over.Entry, Results: []function.ToolResult{{ID: "1", Tool: "add", Output: json.RawMessage(`{"sum":4}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"response":"It is four.","text":"It is four.","rounds":2,"calls":1,"tools":{"add":1},"tokens":40}`; string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
	if n := len(p.asked[0].Tools); n != 3 {
		t.Errorf("%d tools were offered", n)
	}
	var heard []string
	for _, m := range p.asked[1].Messages {
		heard = append(heard, m.Role+": "+m.Content)
	}
	want := []string{"system: S", "user: 2+2?", "assistant: hm", `tool: {"sum":4}`,
		`tool: {"error":"there is no tool \"nope\"; there are add, ask_dep, show","errorCode":"bad_input"}`}
	if got := strings.Join(heard[:5], "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the model heard\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if last := heard[5]; !strings.Contains(last, "the arguments do not fit") {
		t.Errorf("heard %s", last)
	}
}

func TestLimits(t *testing.T) {
	said := func(n int) (past []function.TranscriptEntry) {
		for range n {
			past = append(past, function.TranscriptEntry{Entry: json.RawMessage(`{"tool_calls":[{"id":"1","name":"add","arguments":{}}],"tokens":50}`),
				Results: []function.ToolResult{{ID: "1", Tool: "add", Error: &function.SessionError{Kind: "failed", Message: "no"}}}})
		}
		return past
	}
	for name, c := range map[string]struct {
		input string
		past  int
		kind  string
		text  string
	}{
		"rounds":        {`{"prompt": "?", "max_rounds": 2}`, 2, function.KindLimit, "max_rounds"},
		"rounds, named": {`{"prompt": "?", "max_rounds": 2, "round_limit_error": "AGENT_TURN_LIMIT"}`, 2, "AGENT_TURN_LIMIT", "2 rounds"},
		"tokens":        {`{"prompt": "?", "token_budget": 100}`, 2, function.KindLimit, "token_budget"},
		"calls":         {`{"prompt": "?", "max_calls": 2}`, 2, function.KindLimit, "max_calls"},
		"whitelist":     {`{"prompt": "?", "tools": ["addd"]}`, 0, function.KindBadInput, `no tool "addd"`},
		"profile":       {`{"prompt": "?", "profile": "chatty"}`, 0, function.KindBadInput, "chatty"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, &played{replies: []models.Response{wants("1", "add", `{"a":1}`)}}, c.input, said(c.past)...)
			if function.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v of kind %s", err, function.KindOf(err))
			}
		})
	}
	p := &played{replies: []models.Response{{Text: "I give up."}}}
	if out, err := call(t, p, `{"prompt": "?", "max_rounds": 1, "on_limit": "answer"}`, said(1)...); err != nil || !strings.Contains(string(out), "I give up.") || len(p.asked[0].Tools) > 0 {
		t.Errorf("got %s, %v", out, err)
	}
}

// A last round that fails for good ends in the limit; one that fails for a while is tried again.
func TestLastRoundFails(t *testing.T) {
	past := []function.TranscriptEntry{{Entry: json.RawMessage(`{"tool_calls":[{"id":"1","name":"add","arguments":{"a":1}}]}`),
		Results: []function.ToolResult{{ID: "1", Tool: "add", Output: json.RawMessage(`1`)}}}}
	for transient, kind := range map[bool]string{false: "AGENT_TURN_LIMIT", true: models.KindServer} {
		p := &played{fails: models.NewError(models.KindServer, transient, "gone", nil)}
		_, err := call(t, p, `{"prompt": "?", "max_rounds": 1, "on_limit": "answer", "round_limit_error": "AGENT_TURN_LIMIT"}`, past...)
		if function.KindOf(err) != kind || !strings.Contains(err.Error(), "gone") {
			t.Errorf("got %v, want %s", err, kind)
		}
	}
}

// Models that call a tool without arguments send none, null or {}.
func TestNoArguments(t *testing.T) {
	for _, none := range []string{"", "null", "{}"} {
		_, err := call(t, &played{replies: []models.Response{wants("1", "ask_dep", none)}}, `{"prompt": "?"}`)
		var over *function.CallTools
		if !errors.As(err, &over) || len(over.Calls) != 1 || string(over.Calls[0].Arguments) != "{}" {
			t.Errorf("%q: got %v", none, err)
		}
	}
}

func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		replies []string
		want    string
		kind    string
	}{
		"guarded":     {`{"prompt": "?", "guardrails": {"banned_phrases": ["secret"], "fallback": "Let us talk of something else."}}`, []string{"The SECRET is out"}, `"response":"Let us talk of something else."`, ""},
		"clarify":     {`{"prompt": "?", "marks": true}`, []string{"Well. CLARIFY: which room? ASK_USER: x"}, `"text":"CLARIFY: which room? ASK_USER: x","clarify":"which room? ASK_USER: x"`, ""},
		"ask user":    {`{"prompt": "?", "marks": true}`, []string{"Hm, ASK_USER:which day?"}, `"text":"ASK_USER: which day?","ask_user":"which day?"`, ""},
		"empty":       {`{"prompt": "?", "empty_error": "EMPTY_SESSION_RESPONSE"}`, []string{" "}, "", "EMPTY_SESSION_RESPONSE"},
		"fits":        {`{"prompt": "?", "schema": {"type": "object", "required": ["n"]}}`, []string{`{"n": 1}`}, `"output":{"n":1}`, ""},
		"is made fit": {`{"prompt": "?", "schema": {"type": "object", "required": ["n"]}}`, []string{"one", `{"m": 1}`, `{"n": 1}`}, `"output":{"n":1}`, ""},
		"never fits":  {`{"prompt": "?", "schema": {"type": "object", "required": ["n"]}}`, []string{"one", "two", "three"}, "", function.KindOutputInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{}
			for _, text := range c.replies {
				p.replies = append(p.replies, models.Response{Text: text, Object: models.Object(json.RawMessage(`{}`), text)})
			}
			out, err := call(t, p, c.input)
			if function.KindOf(err) != c.kind && err != nil || err == nil != (c.kind == "") || !strings.Contains(string(out), c.want) {
				t.Errorf("got %s, %v", out, err)
			}
		})
	}
}

func TestToolThatAnswersItself(t *testing.T) {
	p := &played{}
	out, err := call(t, p, `{"prompt": "?"}`, function.TranscriptEntry{Entry: json.RawMessage(`{"tool_calls":[{"id":"1","name":"show","arguments":{}}]}`),
		Results: []function.ToolResult{{ID: "1", Tool: "show", Output: json.RawMessage(`{"text":"Here it is."}`)}}})
	if err != nil || !strings.Contains(string(out), `"response":"Here it is."`) || len(p.asked) > 0 {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestNestedAgentsAnswerIsRead(t *testing.T) {
	p := &played{replies: []models.Response{{Text: "ok"}}}
	_, err := call(t, p, `{"prompt": "?", "profile": "terse"}`, function.TranscriptEntry{Entry: json.RawMessage(`{"tool_calls":[{"id":"1","name":"ask_dep","arguments":{"query":"x"}}]}`),
		Results: []function.ToolResult{{ID: "1", Tool: "ask_dep", Output: json.RawMessage(`{"response":"The room is free.","rounds":2}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	m := p.asked[0].Messages
	if m[0].Content != "Be terse." || m[len(m)-1].Content != "The room is free." {
		t.Errorf("the model heard %+v", m)
	}
}

func TestProfileAllowsTools(t *testing.T) {
	for input, want := range map[string]string{
		`{"prompt": "?", "profile": "clerk"}`:                    "add ask_dep",
		`{"prompt": "?", "agent": "clerk"}`:                      "add ask_dep",
		`{"prompt": "?", "profile": "clerk", "tools": ["show"]}`: "show",
		`{"prompt": "?", "profile": "terse"}`:                    "add ask_dep show",
	} {
		p := &played{replies: []models.Response{{Text: "ok"}}}
		if _, err := call(t, p, input); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range p.asked[0].Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: the model may call %s, want %s", input, got, want)
		}
	}
}

// What is about nothing asks no model; an empty answer to it is not an error.
func TestUnlessEmpty(t *testing.T) {
	for input, asked := range map[string]int{
		`{"prompt": "Polish it.\n\n", "unless_empty": "", "empty_error": "EMPTY"}`: 0,
		`{"prompt": "Polish it.\n\n ", "unless_empty": " "}`:                       1,
		`{"prompt": "Polish it."}`:                                                 1,
	} {
		p := &played{replies: []models.Response{{Text: "Done."}}}
		out, err := call(t, p, input)
		var got agent.Output
		if err != nil || json.Unmarshal(out, &got) != nil || len(p.asked) != asked || (got.Text == "Done.") != (asked == 1) {
			t.Errorf("%s: asked %d times, got %s, %v", input, len(p.asked), out, err)
		}
	}
}

func TestTrim(t *testing.T) {
	for input, want := range map[string]string{`{"prompt": "x"}`: "\n Done. \n", `{"prompt": "x", "trim": true}`: "Done."} {
		out, err := call(t, &played{replies: []models.Response{{Text: "\n Done. \n"}}}, input)
		var got agent.Output
		if err != nil || json.Unmarshal(out, &got) != nil || got.Text != want || got.Response != want {
			t.Errorf("%s: got %s, %v", input, out, err)
		}
	}
}

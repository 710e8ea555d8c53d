package functions

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
)

// TestEachFaultOfAnInputIsReported: a check says all faults of an input at once, and none that only
// comes of another.
func TestEachFaultOfAnInputIsReported(t *testing.T) {
	for _, c := range []struct {
		spec  function.Spec
		input string
		want  []string
	}{
		{requestSpec(), `{"options": 3, "schema": {"type": "integr"}}`, []string{"options", "schema"}},
		{requestSpec(), `{"prompt": "x", "due": "soon", "on_due": "no"}`, []string{"due"}},
		{requestSpec(), `{"prompt": "x", "due": 0, "options": 3}`, []string{"options", "due"}},
		{iterateSpec(), `{"items": 3, "on_error": "stop"}`, []string{"items", "on_error"}},
		{mapSpec(), `{"items": 3, "on_error": "stop", "entry": "x"}`, []string{"items", "on_error", "entry"}},
		{mapSpec(), `{"items": "@{SESSION_ID}.root.list", "on_error": "stop"}`, []string{"on_error"}},
		{variableSpec(), `{"set": 3, "globals": 4}`, []string{"set", "globals"}},
		{variableSpec(), `{"set": {"a": 1}, "b": 2}`, nil},
	} {
		var got []string
		problems := c.spec.Check(json.RawMessage(c.input))
		for _, p := range problems {
			name, _, _ := strings.Cut(p.Message, ":")
			got = append(got, name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v\n%v", c.spec.Name, c.input, got, c.want, problems)
		}
	}
}

// TestAStrayFieldOfAQuestionOrReplyIsReported: functions that keep fields of a person's own warn of one
// that only other functions take, unless a reference reads it.
func TestAStrayFieldOfAQuestionOrReplyIsReported(t *testing.T) {
	r := function.NewRegistry()
	Standard(r, Options{})
	for _, c := range []struct{ function, input, reads, want string }{
		{"request", `{"prompt": "x", "expression": "1+1"}`, "", `"expression", which utils.request.request does not know`},
		{"reply", `{"message": "x", "prompt": "y"}`, "", `"prompt", which utils.reply.reply does not know (`},
		{"confirm", `{"prompt": "x", "items": [1]}`, "", `"items"`},
		{"select", `{"prompt": "x", "options": ["a"], "rules": []}`, "", "(switch takes it)"},
		{"template", `{"template": "x", "message": "y"}`, "", `"message"`},
		{"wait", `{"for": 3, "count": 3}`, "", `"count"`},
		{"request", `{"prompt": "x", "expression": "1+1"}`, "@{SESSION_ID}.a.expression", ""},
		{"request", `{"prompt": "x", "items": [1]}`, "@{SESSION_ID}.a[-1].items[0]", ""},
		{"request", `{"prompt": "x", "items": [1]}`, "all: @{SESSION_ID}.a", ""},
		{"request", `{"prompt": "x", "promt": [1]}`, "@{SESSION_ID}.a.promt", ""},
		{"reply", `{"message": "x", "colour": "red", "card": {"a": 1}}`, "", ""},
		{"variable", `{"items": [1], "expression": "x"}`, "", ""},
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "reply", Input: `{"message": "x"}`}, {ID: "a", Function: c.function, Input: c.input},
			{ID: "b", Function: "reply", Input: `{"message": "` + c.reads + `"}`}},
			Paths: []engine.Path{{Source: "root", Target: "a"}, {Source: "a", Target: "b"}}}
		var got []string
		for _, p := range engine.Validate(w, r) {
			if p.Step == "a" {
				got = append(got, p.Level+" "+p.Code+" "+p.Message)
			}
		}
		if all := strings.Join(got, "\n"); c.want == "" && all != "" || c.want != "" && (len(got) != 1 || !strings.HasPrefix(all, "warning unknown_input") || !strings.Contains(all, c.want)) {
			t.Errorf("%s %s: %q, want %q", c.function, c.input, got, c.want)
		}
	}
}

package diagram

import (
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

func TestConditionText(t *testing.T) {
	for _, c := range []struct {
		condition any
		operator  string
		want      string
	}{
		{nil, "", ""},
		{nil, "OR", ""},
		{"", "", ""},
		{"@{SESSION_ID}.ask.response", "", "ask.response"},
		{`{"true": "@{SESSION_ID}.a.b"}`, "", "a.b"},
		{`[{"false": "@{SESSION_ID}.publish.error"}]`, "", "not publish.error"},
		{`{"true": "@{SESSION_ID}.a", "false": "@{SESSION_ID}.b"}`, "OR", "a and not b"},
		{`{"operator": "or", "true": "a", "false": 0}`, "", "a or not 0"},
		{[]any{"@{SESSION_ID}.a", `{"false": "@{SESSION_ID}.b"}`}, "", "a and not b"},
		{[]any{"a", "b"}, "or", "a or b"},
		{[]any{`{"true": "a", "false": "b"}`, "c"}, "OR", "(a and not b) or c"},
		{[]any{true}, "", "true"},
		{[]any{}, "", "[]"},
		{[]any{int64(0), 1.5}, "OR", "0 or 1.5"},
		{`{"maybe": "a"}`, "", `{"maybe": "a"}`},
		{`{"true": "a", "maybe": "b"}`, "AND", `AND {"true": "a", "maybe": "b"}`},
		{`{"operator": "NOR", "true": "a"}`, "", `{"operator": "NOR", "true": "a"}`},
		{`{"operator": 1, "true": "a"}`, "", `{"operator": 1, "true": "a"}`},
		{"{", "", "{"},
		{"@{SESSION_ID}.a", "xor", "XOR a"},
		{`[[[[[[[["a"]]]]]]]]`, "", `[[[[[[[["a"]]]]]]]]`},
		{[]any{"<&>", "{"}, "", `["<&>","{"]`},
	} {
		if got := conditionText(&engine.Path{Condition: c.condition, Operator: c.operator}); got != c.want {
			t.Errorf("%#v %s is %q, want %q", c.condition, c.operator, got, c.want)
		}
	}
}

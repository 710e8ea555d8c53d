package references_test

import (
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

func TestOperandsOfExpressions(t *testing.T) {
	for text, want := range map[string][]references.Operand{
		"no reference == 1":                             nil,
		"@{SESSION_ID}.a.x == 'red'":                    {{From: 0, To: 17, Text: "@{SESSION_ID}.a.x"}},
		"(@{SESSION_ID}.a.x|0>=3)":                      {{From: 1, To: 20, Text: "@{SESSION_ID}.a.x", Default: "0", HasDefault: true}},
		"@{SESSION_ID}.a|'a b' != @{SESSION_ID}.b":      {{From: 0, To: 21, Text: "@{SESSION_ID}.a", Default: "'a b'", HasDefault: true}, {From: 25, To: 40, Text: "@{SESSION_ID}.b"}},
		"@{SESSION_ID}.a|@{SESSION_ID}.b|[1, 2] == [1]": {{From: 0, To: 38, Text: "@{SESSION_ID}.a|@{SESSION_ID}.b", Default: "[1, 2]", HasDefault: true}},
		"len(@{SESSION_ID}.a|none) > 1":                 {{From: 4, To: 24, Text: "@{SESSION_ID}.a", Default: "none", HasDefault: true}},
		"@{SESSION_ID}.a || @{SESSION_ID}.b":            {{From: 0, To: 15, Text: "@{SESSION_ID}.a"}, {From: 19, To: 34, Text: "@{SESSION_ID}.b"}},
	} {
		got := references.Operands(text)
		if len(got) != len(want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: operand %d is %+v, want %+v", text, i, got[i], want[i])
			}
		}
	}
}

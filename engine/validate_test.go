package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// said lists the problems of a workflow as "code step path: message".
func said(w *engine.Workflow) []string {
	w.Normalize()
	var out []string
	for _, p := range engine.Validate(w, nil) {
		out = append(out, fmt.Sprintf("%s %s %s %s: %s", p.Level, p.Code, p.Step, p.Path, p.Message))
	}
	return out
}

func TestValidateReportsConditionsThatAreAlwaysTrue(t *testing.T) {
	for condition, want := range map[any]string{
		"@{SESSION_ID}.root.response":               "",
		"when @{SESSION_ID}.root.response == 'red'": "",
		"@{SESSION_ID}.root.response == 'red'":      "to compare, write: when @{SESSION_ID}.root.response == 'red'",
		`{"true": "@{SESSION_ID}.root.n > 3"}`:      "error always_true root root>a",
		`["@{SESSION_ID}.root.n|0 > 3"]`:            "write: when @{SESSION_ID}.root.n|0 > 3",
		"when @{SESSION_ID}.root.response == red":   "error broken_condition root root>a",
		"when @{SESSION_ID}.rot.response == 'red'":  "warning unknown_reference root root>a",
	} {
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root"}, {ID: "a"}}, Paths: []engine.Path{{Source: "root", Target: "a", Condition: condition}}}
		found := said(w)
		if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0], want)) {
			t.Errorf("%v: %q, want %q", condition, found, want)
		}
	}
	loop := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "loop", Input: `{"until": "@{SESSION_ID}.a.n > 3", "while": {"when": "@{SESSION_ID}.a.n <"}}`}, {ID: "a"}},
		Paths: []engine.Path{{Source: "root", Target: "a", Kind: engine.Contains}}}
	if found := strings.Join(said(loop), "\n"); !strings.Contains(found, "error always_true root : until: ") || !strings.Contains(found, "error broken_condition root : while: ") {
		t.Errorf("conditions of a loop: %s", found)
	}
}

package functions

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// TestEachFaultOfAnInputIsReported: a check says all faults of an input at once, and none that only
// comes of another.
func TestEachFaultOfAnInputIsReported(t *testing.T) {
	for _, c := range []struct {
		spec  engine.Spec
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

package functions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
)

// TestLenientLists: the three functions that go over a list read it alike.
func TestLenientLists(t *testing.T) {
	lists := []struct{ given, want string }{
		{`[1, 2]`, `[1 2]`},
		{`"['a','b']"`, `["a" "b"]`},
		{`"[\\\"a\\\", \\\"b\\\"]"`, `["a" "b"]`},
		{`"\\[{\"a\":1}\\]"`, `[{"a":1}]`},
		{`"[{a:1}, /* more */]"`, `[{"a":1}]`},
		{`"[]"`, `[]`},
	}
	for _, name := range []string{"iterate", "loop", "map"} {
		field := "items"
		if name == "loop" {
			field = "over"
		}
		for _, test := range lists {
			_, err := standard(t.Context(), t, name, fmt.Sprintf(`{%q: %s, "lenient": true}`, field, test.given))
			if got := fmt.Sprintf("%s", handed(err)); got != test.want {
				t.Errorf("%s %s: %s, %v, want %s", name, test.given, got, err, test.want)
			}
		}
		for more, want := range map[string]string{
			`"lenient": true`: field + `: want a list, not "{a:1}"`,
			``:                field + `: want a list, not "{a:1}"`,
			`"lenient": true, "items_error": "Invalid input array"`: "Invalid input array",
		} {
			given := strings.TrimSuffix(fmt.Sprintf(`{%q: "{a:1}", %s`, field, more), ", ") + "}"
			_, err := standard(t.Context(), t, name, given)
			var bad *engine.CallError
			if !errors.As(err, &bad) || bad.Kind != engine.KindBadInput || bad.Message != want {
				t.Errorf("%s %s: %v, want %s", name, given, err, want)
			}
			problems := find(name).Check(json.RawMessage(given))
			if own := strings.Contains(more, "items_error"); own != (problems == nil) {
				t.Errorf("%s %s: at load time %v", name, given, problems)
			}
		}
	}
	_, err := standard(t.Context(), t, "iterate", `{"items": "[1, 2", "lenient": true}`)
	if err == nil || err.Error() != `items: want a list, not "[1, 2": line 1, column 1: '[' is never closed` {
		t.Errorf("got %v", err)
	}
}

func find(name string) *engine.Spec {
	r := engine.NewRegistry()
	functions.Standard(r, functions.Options{})
	return r.Find(name)
}

// handed are the items that a function hands over to the engine.
func handed(err error) []json.RawMessage {
	var body *engine.RunBody
	var children *engine.RunSessions
	switch {
	case errors.As(err, &body):
		return body.Items
	case errors.As(err, &children):
		var items []json.RawMessage
		for _, child := range children.Sessions {
			var in struct{ Item json.RawMessage }
			if json.Unmarshal(child.Inputs, &in) == nil {
				items = append(items, in.Item)
			}
		}
		return items
	}
	return nil
}

func TestIterationsMayGoOn(t *testing.T) {
	_, err := standard(t.Context(), t, "iterate", `{"items": [1], "on_error": "continue"}`)
	var body *engine.RunBody
	if !errors.As(err, &body) || !body.KeepGoing {
		t.Errorf("got %#v", err)
	}
	if _, err := standard(t.Context(), t, "iterate", `{"items": [1], "on_error": "stop"}`); err == nil || err.Error() != `on_error: want continue or nothing, not "stop"` {
		t.Errorf("got %v", err)
	}
}

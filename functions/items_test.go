package functions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
)

// TestLists: the three functions that go over a list read it alike.
func TestLists(t *testing.T) {
	lists := []struct{ given, want string }{
		{`[1, 2]`, `[1 2]`},
		{`"[\"a\", 2]"`, `["a" 2]`},
		{`"[]"`, `[]`},
	}
	for _, name := range []string{"iterate", "loop", "map"} {
		field := "items"
		if name == "loop" {
			field = "over"
		}
		for _, test := range lists {
			_, err := standard(t.Context(), t, name, fmt.Sprintf(`{%q: %s}`, field, test.given))
			if got := fmt.Sprintf("%s", handed(err)); got != test.want {
				t.Errorf("%s %s: %s, %v, want %s", name, test.given, got, err, test.want)
			}
		}
		given := fmt.Sprintf(`{%q: "{a:1}"}`, field)
		want := field + `: want a list, not "{a:1}"`
		_, err := standard(t.Context(), t, name, given)
		var bad *function.CallError
		if !errors.As(err, &bad) || bad.Kind != function.KindBadInput || bad.Message != want {
			t.Errorf("%s %s: %v, want %s", name, given, err, want)
		}
		if find(name).Check(json.RawMessage(given)) == nil {
			t.Errorf("%s %s: accepted at load time", name, given)
		}
	}
}

func find(name string) *function.Spec {
	r := function.NewRegistry()
	functions.Standard(r, functions.Options{})
	return r.Find(name)
}

// handed are the items that a function hands over to the engine.
func handed(err error) []json.RawMessage {
	var body *function.RunBody
	var children *function.RunSessions
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
	var body *function.RunBody
	if !errors.As(err, &body) || !body.KeepGoing {
		t.Errorf("got %#v", err)
	}
	if _, err := standard(t.Context(), t, "iterate", `{"items": [1], "on_error": "stop"}`); err == nil || err.Error() != `on_error: want continue or nothing, not "stop"` {
		t.Errorf("got %v", err)
	}
}

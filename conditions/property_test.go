package conditions_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
	"pgregory.net/rapid"
)

// A model of the language, decided while the condition is drawn.
type drawn struct {
	value any
	open  bool
}

var operands = []drawn{
	{"yes", true}, {"", false}, {"FALSE", false}, {true, true}, {false, false}, {nil, false}, {0, false}, {7, true},
	{[]any{}, false}, {map[string]any{}, false}, {map[string]any{"k": 0}, true}, {[]any{0}, true},
}

// items are operands that mean the same as an item of a list: lists and objects
// do not.
var items = operands[:8]

func drawObject(t *rapid.T) drawn {
	yes, no := rapid.SampledFrom(operands).Draw(t, "true"), rapid.SampledFrom(operands).Draw(t, "false")
	object := map[string]any{}
	var held []bool
	if which := rapid.IntRange(1, 3).Draw(t, "keys"); which != 2 {
		object["true"] = yes.value
		held = append(held, yes.open)
		if which == 3 {
			object["false"] = no.value
			held = append(held, !no.open)
		}
	} else {
		object["false"] = no.value
		held = append(held, !no.open)
	}
	or := rapid.Bool().Draw(t, "or")
	if or {
		object["operator"] = rapid.SampledFrom([]string{"OR", "or", "Or"}).Draw(t, "operator")
	}
	return drawn{object, join(held, or)}
}

func drawCondition(t *rapid.T, or bool, depth int) drawn {
	kind := rapid.IntRange(0, 2).Draw(t, "kind")
	switch {
	case kind == 0:
		return rapid.SampledFrom(items).Draw(t, "operand")
	case kind == 1 || depth == 0:
		return drawObject(t)
	}
	list, held := []any{}, []bool{}
	for range rapid.IntRange(0, 4).Draw(t, "length") {
		item := drawCondition(t, or, depth-1)
		list, held = append(list, item.value), append(held, item.open)
	}
	return drawn{list, join(held, or)}
}

func join(held []bool, or bool) bool {
	for _, h := range held {
		if h == or {
			return or
		}
	}
	return !or
}

func TestConditionsMatchTheirModel(t *testing.T) {
	literal := conditions.ResolverFunc(func(operand string) (json.RawMessage, bool, error) {
		value, err := json.Marshal(operand)
		return value, true, err
	})
	rapid.Check(t, func(t *rapid.T) {
		or := rapid.Bool().Draw(t, "path or")
		operator := map[bool]string{false: "", true: "OR"}[or]
		root := drawCondition(t, or, 4)
		list := drawn{[]any{root.value}, root.open}
		text, err := json.Marshal(list.value)
		if err != nil {
			t.Fatal(err)
		}
		inText, err := json.Marshal([]any{string(text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, stored := range []any{list.value, string(text), []string{string(text)}, string(inText)} {
			got := conditions.Parse(stored, operator).Evaluate(literal)
			if got.Open != list.open || got.Err != nil {
				t.Fatalf("%v (%q) opens: %t, %v, want %t", stored, operator, got.Open, got.Err, list.open)
			}
		}
	})
}

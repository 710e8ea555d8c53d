package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// AccumulateInput is the input of accumulate.
type AccumulateInput struct {
	Mode      input.Text      `json:"mode,omitempty" jsonschema:"append (the default) and concat make a list, text joins texts, sum adds numbers, merge merges objects (later fields win)"`
	Value     json.RawMessage `json:"value,omitempty" jsonschema:"the value to add"`
	Previous  json.RawMessage `json:"previous,omitempty" jsonschema:"the value so far: a reference to this step's own output with an empty default, such as @{SESSION_ID}.acc.items|"`
	Into      json.RawMessage `json:"into,omitempty" jsonschema:"another name of previous"`
	Initial   json.RawMessage `json:"initial,omitempty" jsonschema:"used in place of previous the first time"`
	Separator *string         `json:"separator,omitempty" jsonschema:"text: separates the values; a new line when absent"`
	Limit     input.Int       `json:"limit,omitempty" jsonschema:"lists: how many of the newest elements are kept; all when absent"`
}

// AccumulateOutput is what Accumulate gives: the field of its mode.
type AccumulateOutput struct {
	Items  []any          `json:"items,omitempty" jsonschema:"append and concat: the list"`
	Count  int            `json:"count,omitempty" jsonschema:"append and concat: its length"`
	Text   string         `json:"text,omitempty" jsonschema:"text: the texts"`
	Total  float64        `json:"total,omitempty" jsonschema:"sum: the total"`
	Object map[string]any `json:"object,omitempty" jsonschema:"merge: the object"`
}

// Accumulate adds a value to the values accumulated so far. It stores nothing itself: the
// accumulated value is this step's previous output, which the workflow passes in the field
// previous, so the function is pure. A missing value adds nothing.
func Accumulate(_ context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[AccumulateInput](fields)
	if err != nil {
		return nil, err
	}
	if in.Previous == nil {
		in.Previous = in.Into
	}
	// A reference without a value resolves to the empty default: there is no previous output
	// yet.
	first := in.Previous == nil || string(in.Previous) == `""`
	if first {
		in.Previous = in.Initial
	}
	switch in.Mode {
	case "", "append":
		if fields.Has("value") {
			in.Value = orNull(in.Value)
		}
		return appendItems(in, false)
	case "concat":
		return appendItems(in, true)
	case "text":
		return appendText(in, first && fields.Get("initial") == nil), nil
	case "sum":
		return sum(in)
	case "merge":
		return merge(in)
	}
	return nil, in.wrongMode()
}

func (in AccumulateInput) wrongMode() error {
	return input.Bad("mode: want append, concat, text, sum or merge, not %q", in.Mode)
}

// checkAccumulate reports a mode that does not exist; other fields may have references.
func checkAccumulate(in AccumulateInput, _ input.Object) error {
	if slices.Contains([]input.Text{"", "append", "concat", "text", "sum", "merge"}, in.Mode) {
		return nil
	}
	return in.wrongMode()
}

func appendItems(in AccumulateInput, flat bool) (json.RawMessage, error) {
	items, err := list("previous", in.Previous)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Value == nil:
	case flat && in.Value[0] == '[':
		more, err := list("value", in.Value)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	default:
		items = append(items, in.Value)
	}
	if n := int(in.Limit); n > 0 && len(items) > n {
		items = items[len(items)-n:]
	}
	if items == nil {
		items = []json.RawMessage{}
	}
	return input.Object{{Name: "items", Value: input.Encode(items)}, {Name: "count", Value: input.Encode(len(items))}}.Encode(), nil
}

func list(name string, value json.RawMessage) ([]json.RawMessage, error) {
	if value == nil {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return nil, input.Bad("%s: want a list, not %s", name, abridged(value))
	}
	return items, nil
}

// appendText joins previous and value. If there is neither a previous nor an initial text, the
// result is the value alone, without a leading separator.
func appendText(in AccumulateInput, alone bool) json.RawMessage {
	separator := "\n"
	if in.Separator != nil {
		separator = *in.Separator
	}
	text := input.TextOf(in.Previous)
	if in.Value != nil {
		if !alone {
			text += separator
		}
		text += input.TextOf(in.Value)
	}
	return input.Object{{Name: "text", Value: input.Encode(text)}}.Encode()
}

// sum adds exactly while all numbers are whole and short enough, otherwise in floating point.
func sum(in AccumulateInput) (json.RawMessage, error) {
	whole, total := new(big.Int), 0.0
	exact := true
	for _, part := range []struct {
		name  string
		value json.RawMessage
	}{{"previous", in.Previous}, {"value", in.Value}} {
		if part.value == nil {
			continue
		}
		text := input.TextOf(part.value)
		number, err := strconv.ParseFloat(text, 64)
		if total += number; err != nil || math.IsNaN(total) || math.IsInf(total, 0) {
			return nil, input.Bad("%s: want a number that can be added, not %s", part.name, abridged(part.value))
		}
		if n, ok := new(big.Int).SetString(text, 10); ok && len(text) <= 1000 {
			whole.Add(whole, n)
		} else {
			exact = false
		}
	}
	value := json.RawMessage(whole.String())
	if !exact {
		value = input.Encode(total)
	}
	return input.Object{{Name: "total", Value: value}}.Encode(), nil
}

func merge(in AccumulateInput) (json.RawMessage, error) {
	var object input.Object
	for _, part := range []struct {
		name  string
		value json.RawMessage
	}{{"previous", in.Previous}, {"value", in.Value}} {
		if part.value == nil {
			continue
		}
		fields, err := input.Parse(part.value)
		if err != nil {
			return nil, input.Bad("%s: want an object, not %s", part.name, abridged(part.value))
		}
		object = object.Over(fields)
	}
	return input.Object{{Name: "object", Value: object.Encode()}}.Encode(), nil
}

// abridged returns a value shortened for an error message.
func abridged(value json.RawMessage) []byte {
	if len(value) > 60 {
		return append(bytes.ToValidUTF8(value[:60:60], nil), "…"...)
	}
	return value
}

func accumulateSpec() function.Spec {
	return function.Spec{
		Name:        "accumulate",
		Aliases:     []string{"utils.accumulate"},
		Description: "Adds a value to a list, a text, a total or an object that grows from visit to visit.",
		Check:       input.Check[AccumulateInput](tried(Accumulate), checkInput(checkAccumulate)),
		Input:       input.Schema[AccumulateInput](),
		Output:      input.Schema[AccumulateOutput](),
		Function:    function.ObjectFunc(Accumulate),
	}
}

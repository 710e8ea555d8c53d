package functions

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// options reads a list of answer options, each a text, another scalar, or an object with text
// (or label) and value. Null and absent mean no options. The JSON text of a list is accepted
// too, because models often write it. Every option gets a value.
func options(name string, given json.RawMessage) ([]function.Option, error) {
	if given == nil {
		return nil, nil
	}
	if given[0] == '"' {
		given = json.RawMessage(input.TextOf(given))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(given, &list); err != nil {
		return nil, input.Bad("%s: want a list of texts or {text, value}", name)
	}
	taken := map[string]bool{}
	out := make([]function.Option, 0, len(list))
	for i, element := range list {
		o, err := option(element)
		if err != nil {
			return nil, input.Bad("%s[%d]: %v", name, i, err)
		}
		if taken[o.Text] {
			return nil, input.Bad("%s[%d]: %q stands in the list twice, so an answer could mean either", name, i, o.Text)
		}
		taken[o.Text] = true
		out = append(out, o)
	}
	return out, nil
}

func option(element json.RawMessage) (function.Option, error) {
	switch element[0] {
	case 'n', '[':
		return function.Option{}, fmt.Errorf("want a text or {text, value}, not %s", element)
	case '{':
		o, err := input.Parse(element)
		if err != nil {
			return function.Option{}, err
		}
		text, value := o.Get("text"), o.Get("value")
		if text == nil {
			text = o.Get("label")
		}
		if text == nil {
			text = value
		}
		if text == nil {
			return function.Option{}, fmt.Errorf("want a text or {text, value}, not %s", element)
		}
		if value == nil {
			value = input.Encode(input.TextOf(text))
		}
		return function.Option{Text: input.TextOf(text), Value: value}, nil
	}
	return function.Option{Text: input.TextOf(element), Value: element}, nil
}

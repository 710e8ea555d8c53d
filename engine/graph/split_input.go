package graph

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
	"github.com/tidwall/gjson"
)

// InputFor returns the compiled input a function of this spec resolves, and the fields it
// gets raw.
func (c *CompiledStep) InputFor(spec *function.Spec) (*references.Input, []jsontext.Field, error) {
	if len(spec.Raw) == 0 {
		return c.input, nil, nil
	}
	s := &c.split
	s.once.Do(func() { s.input, s.raw, s.err = withoutFields(c.Input, spec.Raw) })
	return s.input, s.raw, s.err
}

// withoutFields compiles the JSON text of an object without some of its fields, and
// returns these as they stand.
func withoutFields(text string, without []string) (*references.Input, []jsontext.Field, error) {
	if jsontext.Blank(text) {
		text = "{}"
	}
	drop := map[string]bool{}
	for _, key := range without {
		drop[key] = true
	}
	var taken []jsontext.Field
	rest := []byte{'{'}
	gjson.Parse(text).ForEach(func(k, v gjson.Result) bool {
		if drop[k.String()] {
			taken = slices.DeleteFunc(taken, func(f jsontext.Field) bool { return f.Key == k.String() })
			taken = append(taken, jsontext.Field{Key: k.String(), Value: jsontext.Compact(json.RawMessage(v.Raw))})
			return true
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(jsontext.AppendString(rest, k.String()), ':')
		rest = append(rest, v.Raw...)
		return true
	})
	input, err := references.ParseInput(append(rest, '}'))
	return input, taken, err
}

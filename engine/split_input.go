package engine

import (
	"encoding/json"
	"sync"

	"github.com/stepgraph/stepgraph/references"
	"github.com/tidwall/gjson"
)

// A splitInput is a step's input without the fields its function gets as they are
// written (Spec.Raw), made when the step first runs.
type splitInput struct {
	once  sync.Once
	input *references.Input
	raw   []rawField
	err   error
}

// inputFor returns the compiled input a function of this spec resolves, and the fields it
// gets raw.
func (c *compiledStep) inputFor(spec *Spec) (*references.Input, []rawField, error) {
	if len(spec.Raw) == 0 {
		return c.input, nil, nil
	}
	s := &c.split
	s.once.Do(func() { s.input, s.raw, s.err = withoutFields(c.Input, spec.Raw) })
	return s.input, s.raw, s.err
}

// withoutFields compiles the JSON text of an object without some of its fields, and
// returns these as they stand.
func withoutFields(text string, without []string) (*references.Input, []rawField, error) {
	if isBlank(text) {
		text = "{}"
	}
	drop := map[string]bool{}
	for _, key := range without {
		drop[key] = true
	}
	var taken []rawField
	rest := []byte{'{'}
	gjson.Parse(text).ForEach(func(k, v gjson.Result) bool {
		if drop[k.String()] {
			taken = append(taken, field(k.String(), v))
			return true
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(appendText(rest, k.String()), ':')
		rest = append(rest, v.Raw...)
		return true
	})
	input, err := references.ParseInput(append(rest, '}'))
	return input, taken, err
}

// withFields puts fields into the JSON text of an object, over those of the same name.
func withFields(object json.RawMessage, fields []rawField) json.RawMessage {
	if len(fields) == 0 {
		return object
	}
	over := map[string]bool{}
	for _, f := range fields {
		over[f.key] = true
	}
	b := []byte{'{'}
	put := func(key string, value json.RawMessage) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendText(b, key), ':')
		b = append(b, value...)
	}
	gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
		if !over[k.String()] {
			put(k.String(), json.RawMessage(v.Raw))
		}
		return true
	})
	for _, f := range fields {
		put(f.key, f.value)
	}
	return append(b, '}')
}

// objectFields are the fields of the JSON text of an object, in order.
func objectFields(object json.RawMessage) []rawField {
	var fields []rawField
	gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
		fields = append(fields, field(k.String(), v))
		return true
	})
	return fields
}

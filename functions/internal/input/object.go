package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Object is a JSON object that keeps the order of its fields.
type Object []Field

// A Field is one member of an Object. Value is compact JSON.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Parse reads a JSON object. If a name occurs twice, the last value counts, in the position of
// the first.
func Parse(text []byte) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, Bad("input: want a JSON object")
	}
	var o Object
	place := map[string]int{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, Bad("input: %v", err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, Bad("input: %s: %v", name, err)
		}
		o = o.put(place, Field{name.(string), compact(value)})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, Bad("input: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, Bad("input: something follows the object")
	}
	return o, nil
}

// Get returns the value of a name, nil when it is absent or null.
func (o Object) Get(name string) json.RawMessage {
	for _, f := range o {
		if f.Name == name && string(f.Value) != "null" {
			return f.Value
		}
	}
	return nil
}

// Has reports whether a field is present, even if it is null.
func (o Object) Has(name string) bool {
	for _, f := range o {
		if f.Name == name {
			return true
		}
	}
	return false
}

// With returns o with the field set: in its position if it exists, else at the end.
func (o Object) With(name string, value json.RawMessage) Object {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = value
			return o
		}
	}
	return append(o, Field{name, value})
}

// Over returns o with the fields of more set: existing fields keep their position, new ones
// are appended.
func (o Object) Over(more Object) Object {
	var out Object
	place := make(map[string]int, len(o)+len(more))
	for _, f := range o {
		out = out.put(place, f)
	}
	for _, f := range more {
		out = out.put(place, f)
	}
	return out
}

// put is With for large objects: place holds the index of each name.
func (o Object) put(place map[string]int, f Field) Object {
	if i, ok := place[f.Name]; ok {
		o[i].Value = f.Value
		return o
	}
	place[f.Name] = len(o)
	return append(o, f)
}

// Without returns o without the named fields.
func (o Object) Without(names ...string) Object {
	var rest Object
next:
	for _, f := range o {
		for _, name := range names {
			if f.Name == name {
				continue next
			}
		}
		rest = append(rest, f)
	}
	return rest
}

// Encode returns o as compact JSON.
func (o Object) Encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Encode(f.Name))
		b.WriteByte(':')
		b.Write(f.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Encode returns v as compact JSON without unnecessary escapes. It panics if v has no JSON
// form.
func Encode(v any) json.RawMessage {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("functions: a value without a JSON form: " + err.Error())
	}
	return text
}

// Bad returns a permanent error of kind bad_input.
func Bad(format string, args ...any) error {
	return &engine.CallError{Kind: engine.KindBadInput, Message: fmt.Sprintf(format, args...)}
}

func compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

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

// An Object is a JSON object in the order in which it was written.
type Object []Field

// A Field is one member of an Object. Value is compact JSON.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Parse reads a JSON object. Of a name that stands twice the last value counts, as
// everywhere else; it keeps the first place.
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

// Has tells whether a name is there, if only as null.
func (o Object) Has(name string) bool {
	for _, f := range o {
		if f.Name == name {
			return true
		}
	}
	return false
}

// With returns o with the field set, in its place if it has one, else at the end.
func (o Object) With(name string, value json.RawMessage) Object {
	for i := range o {
		if o[i].Name == name {
			o[i].Value = value
			return o
		}
	}
	return append(o, Field{name, value})
}

// Over returns o with the fields of more laid over it: those of o keep their place, new ones
// follow.
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

// put is With for objects that may be large: place knows where each name stands.
func (o Object) put(place map[string]int, f Field) Object {
	if i, ok := place[f.Name]; ok {
		o[i].Value = f.Value
		return o
	}
	place[f.Name] = len(o)
	return append(o, f)
}

// Without returns the fields of o that none of names calls.
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

// Encode returns v as compact JSON with nothing escaped that JSON does not require. It is
// for values that always have a JSON form.
func Encode(v any) json.RawMessage {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic("functions: a value without a JSON form: " + err.Error())
	}
	return text
}

// Bad is the refusal of an input: a step error that no retry mends.
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

package function

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
	"github.com/tidwall/gjson"
)

// An Object is a JSON object that keeps the order of its fields and, as their values are compact
// JSON, every digit of their numbers.
type Object []Field

// A Field is one field of an Object.
type Field = references.Member

// An ObjectFunction is a Function that takes the fields of its input. The engine has them when it
// has resolved the input, so that the text, which only the history keeps, is not read again.
type ObjectFunction interface {
	Function
	CallObject(ctx context.Context, input Object) (json.RawMessage, error)
}

// ObjectFunc makes a plain func an ObjectFunction.
type ObjectFunc func(ctx context.Context, input Object) (json.RawMessage, error)

// Call calls f with the fields of a text.
func (f ObjectFunc) Call(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
	fields, err := ParseObject(input)
	if err != nil {
		return nil, err
	}
	return f(ctx, fields)
}

// CallObject calls f.
func (f ObjectFunc) CallObject(ctx context.Context, input Object) (json.RawMessage, error) {
	return f(ctx, input)
}

// ParseObject reads the JSON text of an object. If a name occurs twice, the last value counts, in
// the position of the first. The error is a CallError of kind bad_input.
func ParseObject(text []byte) (Object, error) {
	if !json.Valid(text) {
		var any json.RawMessage
		return nil, badInput("input: %v", json.Unmarshal(text, &any))
	}
	object := gjson.ParseBytes(text)
	if !object.IsObject() {
		return nil, badInput("input: want a JSON object")
	}
	var o Object
	place := map[string]int{}
	object.ForEach(func(name, value gjson.Result) bool {
		o = o.put(place, Field{Name: nameOf(name), Value: compact(value)})
		return true
	})
	return o, nil
}

// nameOf returns the name of a member as encoding/json reads it.
func nameOf(name gjson.Result) string {
	text := name.String()
	if strings.Contains(name.Raw, `\`) || !utf8.ValidString(text) {
		_ = json.Unmarshal([]byte(name.Raw), &text) // a text of valid JSON
	}
	return text
}

func compact(value gjson.Result) json.RawMessage {
	text := json.RawMessage(value.Raw)
	if value.Type == gjson.JSON && bytes.ContainsAny(text, " \t\r\n") {
		return jsontext.Compact(text)
	}
	return text
}

func badInput(format string, args ...any) error {
	return &CallError{Kind: KindBadInput, Message: fmt.Sprintf(format, args...)}
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
	return append(o, Field{Name: name, Value: value})
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
		b.Write(jsontext.String(f.Name))
		b.WriteByte(':')
		b.Write(f.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

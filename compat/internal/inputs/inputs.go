// Package inputs makes the JSON text of step inputs for the compilers of foreign formats:
// objects that keep the order of their fields, references, texts that hold none.
package inputs

import (
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Object is a JSON object whose fields keep their order.
type Object []Field

// A Field is one member of an Object; one with a nil value is left out.
type Field struct {
	Name  string
	Value any
}

// Of is the object of names and values that take turns.
func Of(namesAndValues ...any) Object {
	o := Object{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		o = append(o, Field{namesAndValues[i].(string), namesAndValues[i+1]})
	}
	return o
}

// With is the object with one more field.
func (o Object) With(name string, value any) Object {
	return append(o[:len(o):len(o)], Field{name, value})
}

// Set is the object with a field, in the place of one of the same name if there is one.
func (o Object) Set(name string, value any) Object {
	for i := range o {
		if o[i].Name == name {
			out := append(Object(nil), o...)
			out[i].Value = value
			return out
		}
	}
	return o.With(name, value)
}

// MarshalJSON writes the fields in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for _, f := range o {
		if f.Value == nil {
			continue
		}
		value, err := Marshal(f.Value)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := Marshal(f.Name) // a text always has a form
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Marshal is the JSON text of a value. Its error is that of a raw text which is not valid JSON, or of
// a number that has no form in JSON: both can stand in a workflow that people have edited.
func Marshal(value any) ([]byte, error) {
	return jsontext.Marshal(value)
}

// Encode is the JSON text of a value made of objects, lists, texts, numbers and booleans. It
// panics on anything else: that is a fault of the compiler, whatever the file says. Raw texts
// and numbers that do not come out of a decoder go to Marshal.
func Encode(value any) string {
	text, err := Marshal(value)
	if err != nil {
		panic("inputs: " + err.Error())
	}
	return string(text)
}

// Ref is a reference to an output of the session.
func Ref(path string) string { return "@{SESSION_ID}." + path }

// RefOr is Ref, or an empty text where there is no such output.
func RefOr(path string) string { return Ref(path) + "|" }

// Literal is a text that is never read for references.
func Literal(text string) any {
	if strings.Contains(text, "@{") {
		return Of("@literal", text)
	}
	return text
}

// Joined is one text made of parts with a separator between them.
func Joined(separator string, parts ...any) Object {
	return Of("@text", parts, "@join", separator)
}

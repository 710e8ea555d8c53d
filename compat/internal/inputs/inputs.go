// Package inputs builds the JSON text of step inputs for the compilers of foreign formats:
// objects that keep the order of their fields, references, and texts without references.
package inputs

import (
	"strings"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Object is a JSON object whose fields keep their order.
type Object []Field

// A Field is one member of an Object; a field with a nil value is left out.
type Field struct {
	Name  string
	Value any
}

// Of returns an object from alternating names and values.
func Of(namesAndValues ...any) Object {
	o := Object{}
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		o = append(o, Field{namesAndValues[i].(string), namesAndValues[i+1]})
	}
	return o
}

// With returns the object with one more field.
func (o Object) With(name string, value any) Object {
	return append(o[:len(o):len(o)], Field{name, value})
}

// Set returns the object with a field set, in its existing position if there is one.
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

// Marshal returns the JSON text of a value. It fails for invalid raw JSON and for numbers
// without a JSON form; both can occur in a workflow that people have edited.
func Marshal(value any) ([]byte, error) {
	return jsontext.Marshal(value)
}

// Encode returns the JSON text of a value made of objects, lists, texts, numbers and booleans.
// It panics for anything else, which is an error in the compiler, not in the file. Raw texts
// and numbers that do not come from a decoder need Marshal.
func Encode(value any) string {
	text, err := Marshal(value)
	if err != nil {
		panic("inputs: " + err.Error())
	}
	return string(text)
}

// Ref returns a reference to an output of the session.
func Ref(path string) string { return "@{SESSION_ID}." + path }

// RefOr is Ref with an empty text as default.
func RefOr(path string) string { return Ref(path) + "|" }

// Literal returns a text that is never scanned for references.
func Literal(text string) any {
	if strings.Contains(text, "@{") {
		return Of("@literal", text)
	}
	return text
}

// Joined returns the input form of a text joined from parts with a separator.
func Joined(separator string, parts ...any) Object {
	return Of("@text", parts, "@join", separator)
}

// Parts collects the parts of a text: literal pieces, of which neighbours become one, and
// references. Its zero value is ready to use.
type Parts struct {
	list    []any
	literal strings.Builder
}

// Literal adds a piece of text.
func (p *Parts) Literal(text string) { p.literal.WriteString(text) }

// Reference adds a reference, as Ref and RefOr return it.
func (p *Parts) Reference(ref string) { p.list = append(p.List(), ref) }

// List returns the parts so far, without empty ones.
func (p *Parts) List() []any {
	if p.literal.Len() > 0 {
		p.list = append(p.list, Literal(p.literal.String()))
		p.literal.Reset()
	}
	return p.list
}

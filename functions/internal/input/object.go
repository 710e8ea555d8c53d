package input

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An Object is function.Object.
type Object = function.Object

// A Field is function.Field.
type Field = function.Field

// Parse is function.ParseObject.
func Parse(text []byte) (Object, error) { return function.ParseObject(text) }

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
	return &function.CallError{Kind: function.KindBadInput, Message: fmt.Sprintf(format, args...)}
}

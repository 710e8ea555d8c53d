// Package jsonbody checks a request body before it is decoded: encoding, depth and syntax.
package jsonbody

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how deep objects and lists may be nested. Deeper ones are no workflow's
// data; they are a way to make a reader run out of stack.
const MaxDepth = 200

// ErrNotJSON says that a body is not a JSON text, or nested too deeply.
var ErrNotJSON = errors.New("body is not valid JSON")

// Check reports whether text is one JSON value in UTF-8, not nested deeper than MaxDepth.
// The error is ErrNotJSON with the reason and its place.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("%w: it is not UTF-8", ErrNotJSON)
	}
	if at := tooDeep(text); at >= 0 {
		return fmt.Errorf("%w that can be read: nested deeper than %d levels at byte %d", ErrNotJSON, MaxDepth, at)
	}
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: %s at byte %d", ErrNotJSON, syntax.Error(), syntax.Offset)
	case err != nil:
		return fmt.Errorf("%w: %v", ErrNotJSON, err)
	}
	return nil
}

// tooDeep returns where the nesting passes MaxDepth, -1 when it does not. It reads only
// brackets and texts, without a stack, so that it is safe on any bytes.
func tooDeep(text []byte) int {
	depth, inText := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

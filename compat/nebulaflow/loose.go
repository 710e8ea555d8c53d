package nebulaflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A whole is a number without fraction, as a number or as its text; null is 0.
type whole int

// UnmarshalJSON reads a number or the text of one.
func (w *whole) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*w = 0
		return nil
	}
	n, err := strconv.ParseFloat(unquoted(b), 64)
	if err != nil || n != float64(int(n)) {
		return misfit[int](b)
	}
	*w = whole(n)
	return nil
}

// A seconds is a number, or its text.
type seconds float64

// UnmarshalJSON reads a number or the text of one.
func (s *seconds) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseFloat(unquoted(b), 64)
	if err != nil || n != n || n > 1e9 {
		return misfit[float64](b)
	}
	*s = seconds(n)
	return nil
}

// A word is a text; numbers and truth values are theirs.
type word string

// UnmarshalJSON reads a text, a number or a truth value.
func (w *word) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '{', '[':
		return misfit[string](b)
	case 'n': // null
		*w = ""
		return nil
	case '"':
		return json.Unmarshal(b, (*string)(w))
	}
	*w = word(b)
	return nil
}

func unquoted(b []byte) string {
	var text string
	if json.Unmarshal(b, &text) == nil {
		return strings.TrimSpace(text)
	}
	return string(b)
}

// misfit is the error of a value that is none of type T; the decoder adds where it stands.
func misfit[T any](b []byte) error {
	return &json.UnmarshalTypeError{Value: kindOf(b), Type: reflect.TypeFor[T]()}
}

func kindOf(b []byte) string {
	switch b[0] {
	case '"':
		return "string " + string(bytes.TrimSpace(b[:min(len(b), 40)]))
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	}
	return "number " + string(b[:min(len(b), 40)])
}

// fitting decodes what fits; it returns, in words, the first value that does not.
func fitting(b []byte, into any) (fault string, err error) {
	err = json.Unmarshal(b, into)
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return "", err
	}
	return fmt.Sprintf("%s: want %s, not %s", kind.Field, wants(kind.Type), kind.Value), nil
}

func wants(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "an object"
}

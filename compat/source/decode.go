package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxDepth limits the nesting of objects and lists in a file, as in our own format.
const maxDepth = 200

// Decode decodes a whole JSON file. Its error has file, line and column. A file that is not
// UTF-8 is refused, because parts of it are stored unchanged, and so is one nested deeper than
// maxDepth.
func Decode(name string, src []byte, into any) error {
	if at, text := unreadable(src); text != "" {
		line, column := position(src, at)
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, text)
	}
	err := json.Unmarshal(src, into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := 0
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
		err = InWords(err)
	}
	line, column := position(src, max(at-1, 0))
	return fmt.Errorf("%s:%d:%d: %s", name, line, column, oneLine(err.Error()))
}

// InWords is an error of json.Unmarshal that names JSON's types, not Go's, and the member of a
// wrong type.
func InWords(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	text := "want " + wanted(kind.Type.Kind()) + ", got " + given(kind.Value)
	if field := strings.TrimPrefix(kind.Field, "."); field != "" {
		text = field + ": " + text
	}
	return errors.New(text)
}

// wanted is the JSON type that is decoded into a kind of Go value.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	}
	return "a number"
}

// given is the JSON type that json.UnmarshalTypeError describes.
func given(value string) string {
	switch value {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "number":
		return "a number"
	}
	return value // such as "number 1e999"
}

// Compact returns a part of a file without insignificant white space, so that a reformatted
// file counts as the same file.
func Compact(part json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, part) != nil {
		return part
	}
	return out.Bytes()
}

// unreadable returns where and why a text is refused before it is decoded, "" if it is not.
func unreadable(src []byte) (at int, text string) {
	if !utf8.Valid(src) {
		for at < len(src) {
			r, size := utf8.DecodeRune(src[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return at, "the file is not UTF-8 text"
	}
	depth, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i, fmt.Sprintf("nested more than %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return 0, ""
}

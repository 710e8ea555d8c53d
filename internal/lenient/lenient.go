package lenient

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxDepth is how deep lists and objects may stand in each other.
const maxDepth = 500

// An Error says where a text stops being JSON.
type Error struct {
	Line, Column int // from 1, in characters
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Parse reads one value and returns it as compact JSON, with the fields of objects in their
// order and numbers as written where JSON has their form. NaN and infinities are null, as
// JavaScript writes them. The error is an *Error about the text as it was given.
func Parse(text string) (json.RawMessage, error) {
	value, err := parse(text)
	if err == nil {
		return value, nil
	}
	plain := unescaped.Replace(text)
	if plain == text {
		return nil, err
	}
	if value, again := parse(plain); again == nil {
		return value, nil
	}
	return nil, err
}

// unescaped undoes what an editor of rich text, or a second writing as a text, does to JSON.
var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\[`, `[`, `\]`, `]`, `\{`, `{`, `\}`, `}`, `\_`, `_`, `\*`, `*`, "\\`", "`")

// Structure reads a text that is a list or an object; ok is false for every other text, be
// it JSON or not.
func Structure(text string) (value json.RawMessage, ok bool) {
	trimmed := strings.TrimFunc(text, isBlank)
	if !strings.HasSuffix(trimmed, "}") && !strings.HasSuffix(trimmed, "]") ||
		!strings.HasPrefix(strings.TrimPrefix(trimmed, `\`), "{") && !strings.HasPrefix(strings.TrimPrefix(trimmed, `\`), "[") {
		return nil, false
	}
	value, err := Parse(trimmed)
	return value, err == nil
}

func parse(text string) (json.RawMessage, error) {
	r := &reader{text: text}
	if err := r.value(0); err != nil {
		return nil, err
	}
	if err := r.blanks(); err != nil {
		return nil, err
	}
	if r.at < len(text) {
		return nil, r.unexpected("the end")
	}
	return r.out.Bytes(), nil
}

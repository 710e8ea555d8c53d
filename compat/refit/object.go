package refit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/source"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/sjson"
)

// Set sets a value in a JSON object if it differs from the existing one, so that an unchanged
// object keeps its formatting. path has the form a.b.
func Set(object []byte, path string, was, is any) ([]byte, error) {
	if was == is {
		return object, nil
	}
	text, err := inputs.Marshal(is)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", path, err)
	}
	out, err := sjson.SetRawBytes(object, path, text)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", path, err)
	}
	return out, nil
}

// An Edit changes fields of a node's text, each only where it differs, see Set.
type Edit struct {
	Text []byte
	Err  error // of the fields that could not be set
}

// Set sets one field.
func (e *Edit) Set(path string, was, is any) {
	text, err := Set(e.Text, path, was, is)
	if err == nil {
		e.Text = text
	}
	e.Err = errors.Join(e.Err, err)
}

// Move sets the position of a node to that of its step; a step without one leaves it.
func (e *Edit) Move(was source.Position, s *engine.Step) {
	if s.X != nil && s.Y != nil {
		e.Set("position.x", was.X, *s.X)
		e.Set("position.y", was.Y, *s.Y)
	}
}

// Join returns the text of a file: the fields of first, followed by the other fields of the
// JSON object members, sorted by name.
func Join(first inputs.Object, members string) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if members != "" {
		if err := json.Unmarshal([]byte(members), &all); err != nil {
			return nil, fmt.Errorf("what stood beside nodes and edges is not a JSON object: %w", err)
		}
	}
	for _, f := range first {
		delete(all, f.Name)
	}
	for _, name := range sorted(all) {
		first = first.With(name, all[name])
	}
	text, err := inputs.Marshal(first)
	if err != nil {
		return nil, err
	}
	return append(indent(text), '\n'), nil
}

// longerBy is how many times longer a text may get by being indented.
const longerBy = 10

// indent writes a text for people, unless it is nested so that this would be mostly blanks.
func indent(text []byte) []byte {
	var out bytes.Buffer
	if blanks(text) > longerBy*len(text) || json.Indent(&out, text, "", "  ") != nil {
		return text
	}
	return out.Bytes()
}

// blanks is about how many blanks indenting a text takes.
func blanks(text []byte) int {
	depth, all, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			all += 2 * depth
		case c == '}' || c == ']':
			depth--
			all += 2 * depth
		case c == ',':
			all += 2 * depth
		}
	}
	return all
}

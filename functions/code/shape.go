package code

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/lenient"
)

// pretty is the only value of the field that sets the layout of text.
const pretty = "pretty"

// checkOutputFields validates the fields that shape the output. A field with a reference is checked when
// the step runs.
func (in Input) checkOutputFields() error {
	if in.Text != "" && in.Text != pretty && !refers(in.Text) {
		return input.Bad("text: want %s or nothing, not %q", pretty, in.Text)
	}
	if !refers(in.Raise) {
		if _, _, err := in.raising(); err != nil {
			return err
		}
	}
	if !refers(in.Globals) {
		if _, err := in.globals(); err != nil {
			return err
		}
	}
	return nil
}

func refers[T ~string | ~[]byte](text T) bool { return strings.Contains(string(text), "@{") }

// layOut decodes a result that is the text of a JSON list or object, and returns the result
// and its text: nil for null, a text as it is, everything else as JSON indented by two spaces.
func layOut(result json.RawMessage) (json.RawMessage, *string) {
	text := input.TextOf(result)
	if bytes.HasPrefix(result, []byte(`"`)) {
		value, ok := lenient.Structure(text)
		if !ok {
			return result, &text
		}
		result = value
	}
	if string(result) == "null" {
		return result, nil
	}
	var laid bytes.Buffer
	if json.Indent(&laid, result, "", "  ") == nil {
		text = laid.String()
	}
	return result, &text
}

// publish sets the result's fields that the step names as global values of the session. Fields
// that the result does not have are left unchanged.
func (in Input) publish(ctx context.Context, result json.RawMessage) error {
	names, err := in.globals()
	if err != nil || len(names) == 0 {
		return err
	}
	fields, err := input.Parse(result)
	if err != nil {
		return scriptFault("globals: the result is not an object, so it has no field %s", strings.Join(names, " or "))
	}
	for _, name := range names {
		for _, field := range fields {
			if field.Name == name {
				function.CallOf(ctx).Set(name, field.Value)
			}
		}
	}
	return nil
}

func (in Input) globals() ([]string, error) {
	if in.Globals == nil {
		return nil, nil
	}
	given := in.Globals
	if given[0] == '"' && strings.HasPrefix(strings.TrimSpace(input.TextOf(given)), "[") {
		given = json.RawMessage(input.TextOf(given))
	}
	var names []string
	if given[0] == '"' {
		names = []string{input.TextOf(given)}
	} else if json.Unmarshal(given, &names) != nil {
		return nil, input.Bad("globals: want a list of names of fields")
	}
	for _, name := range names {
		if name == "" {
			return nil, input.Bad("globals: a name is empty, so nobody could refer to the value")
		}
	}
	return names, nil
}

// bare returns the output when the result is the whole output: the result's own fields, and
// text unless it has one.
func (o Output) bare() (json.RawMessage, error) {
	fields, err := input.Parse(o.Result)
	if err != nil {
		return nil, scriptFault("as_output: the result is not an object, so it cannot be the output")
	}
	if o.Text != nil && fields.Get("text") == nil {
		fields = fields.With("text", input.Encode(*o.Text))
	}
	return fields.Encode(), nil
}

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/cmd/stepgraph/internal/client"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// A form asks for an object one field after the other, as its schema names them. Fields are
// checked as they are typed; what only the engine can check comes back as faults, and then
// those fields alone are asked again.
type form struct {
	fields []field
	values map[string]json.RawMessage
}

// A field is one property of a form.
type field struct {
	shape
	name     string
	title    string
	required bool
}

// formOf is the form of a question, nil where the answer is one value: then a line is typed.
func formOf(q engine.Question) *form {
	if q.Kind != engine.AskQuestion || len(q.Options) > 0 || len(q.Schema) == 0 {
		return nil
	}
	var s shape
	if json.Unmarshal(q.Schema, &s) != nil || s.Type != "object" || len(s.Properties) == 0 {
		return nil
	}
	f := &form{values: map[string]json.RawMessage{}}
	for _, name := range keysInOrder(q.Schema, "properties") {
		one := field{name: name, required: slices.Contains(s.Required, name)}
		var titled struct {
			Title string `json:"title"`
		}
		if json.Unmarshal(s.Properties[name], &one.shape) != nil || json.Unmarshal(s.Properties[name], &titled) != nil {
			return nil // a schema that is true or false: the whole is typed as JSON
		}
		one.title = cmp.Or(titled.Title, name)
		f.fields = append(f.fields, one)
	}
	return f
}

// keysInOrder are the keys of an object inside of an object, as they stand there.
func keysInOrder(text json.RawMessage, inside string) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(all[inside]))
	if _, err := d.Token(); err != nil {
		return nil
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return keys
		}
		keys = append(keys, key.(string))
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return keys
		}
	}
	return keys
}

// ask fills the form in. A line that is a JSON object answers all of it at once.
func (f *form) ask(l *lines) (response json.RawMessage, ok bool) {
	for i := range f.fields {
		if _, known := f.values[f.fields[i].name]; known {
			continue
		}
		whole, ok := f.askField(l, &f.fields[i])
		if !ok || whole != nil {
			return whole, ok
		}
	}
	return f.object(), true
}

// object is the answer that the values make.
func (f *form) object() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, one := range f.fields {
		if v := f.values[one.name]; len(v) > 0 {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.Write(text(one.name))
			b.WriteByte(':')
			b.Write(v)
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// piped fills the form in with a line for each field, in their order; an empty line leaves a field
// out. A first line that is a JSON object is the whole answer. The response is nil where no line is
// left. A line cannot be typed again, so one that does not fit its field is an error.
func (f *form) piped(l *lines) (response json.RawMessage, err error) {
	for i := range f.fields {
		one := &f.fields[i]
		line, ok := l.line("")
		switch {
		case !ok && i == 0:
			return nil, nil
		case !ok && one.required:
			return nil, fmt.Errorf("the lines of stdin end before the field %s (%s); the question takes a line for each of %s, or a JSON object",
				one.name, cmp.Or(one.hint(), "a text"), f.names())
		case i == 0 && strings.HasPrefix(line, "{") && json.Valid([]byte(line)):
			return json.RawMessage(line), nil
		}
		value, wrong := one.read(line)
		if wrong != "" {
			return nil, fmt.Errorf("field %s: %s, got %q; the question takes a line for each of %s, or a JSON object", one.name, wrong, short(line, 80), f.names())
		}
		f.values[one.name] = value
	}
	return f.object(), nil
}

func (f *form) names() string {
	names := make([]string, len(f.fields))
	for i := range f.fields {
		names[i] = f.fields[i].name
	}
	return strings.Join(names, ", ")
}

// askField asks until the field has a value or may go without.
func (f *form) askField(l *lines, one *field) (whole json.RawMessage, ok bool) {
	for {
		line, ok := l.line(one.label())
		if !ok {
			return nil, false
		}
		if strings.HasPrefix(line, "{") && one.Type != "object" && json.Valid([]byte(line)) {
			return json.RawMessage(line), true
		}
		value, wrong := one.read(line)
		if wrong == "" {
			f.values[one.name] = value
			return nil, true
		}
		fmt.Fprintf(l.to, "  %s: %s\n", one.name, wrong)
	}
}

// label is what stands before the place where a field is typed.
func (f *field) label() string {
	var notes []string
	if hint := f.hint(); hint != "" {
		notes = append(notes, hint)
	}
	switch {
	case len(f.Default) > 0:
		notes = append(notes, "Enter for "+plain(f.Default))
	case !f.required:
		notes = append(notes, "Enter to leave out")
	}
	label := f.title
	if f.Description != "" {
		label += " - " + f.Description
	}
	if len(notes) > 0 {
		label += " (" + strings.Join(notes, "; ") + ")"
	}
	return label + ": "
}

func (f *field) hint() string {
	if len(f.Enum) > 0 {
		return numbered(f.Enum)
	}
	switch f.Type {
	case "boolean":
		return "yes or no"
	case "object", "array":
		return "JSON: " + f.shape.answerHint()
	}
	return f.shape.answerHint()
}

// numbered lists choices that can be typed as a number too.
func numbered(choices []json.RawMessage) string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = fmt.Sprintf("%d %s", i+1, plain(c))
	}
	return strings.Join(words, ", ")
}

// read makes a value of a line; wrong says why it cannot.
func (f *field) read(line string) (value json.RawMessage, wrong string) {
	if line == "" {
		switch {
		case len(f.Default) > 0:
			return f.Default, ""
		case f.required:
			return nil, "is required"
		}
		return nil, ""
	}
	if len(f.Enum) > 0 {
		return f.choice(line)
	}
	switch f.Type {
	case "integer", "number":
		return f.number(line)
	case "boolean":
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return json.RawMessage("true"), ""
		case "n", "no", "false":
			return json.RawMessage("false"), ""
		}
		return nil, "want yes or no"
	case "object", "array":
		if !json.Valid([]byte(line)) {
			return nil, "not valid JSON"
		}
		return json.RawMessage(line), ""
	case "string":
		return f.words(line)
	}
	return valueOf(line), ""
}

func (f *field) choice(line string) (json.RawMessage, string) {
	for _, c := range f.Enum {
		if strings.EqualFold(plain(c), line) {
			return c, ""
		}
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(f.Enum) {
		return f.Enum[n-1], ""
	}
	return nil, "want one of " + plainList(f.Enum)
}

func (f *field) number(line string) (json.RawMessage, string) {
	n, err := strconv.ParseFloat(line, 64)
	_, whole := strconv.ParseInt(line, 10, 64)
	if err != nil || !json.Valid([]byte(line)) || f.Type == "integer" && whole != nil {
		return nil, "want " + f.shape.answerHint()
	}
	for _, bound := range []struct {
		at   *json.Number
		sign float64
	}{{f.Minimum, 1}, {f.Maximum, -1}} {
		if bound.at == nil {
			continue
		}
		if limit, err := bound.at.Float64(); err == nil && (n-limit)*bound.sign < 0 {
			return nil, "want " + f.shape.answerHint()
		}
	}
	return json.RawMessage(line), ""
}

func (f *field) words(line string) (json.RawMessage, string) {
	layout := map[string]string{"date": time.DateOnly, "date-time": time.RFC3339, "time": time.TimeOnly}[f.Format]
	if layout != "" {
		if _, err := time.Parse(layout, line); err != nil {
			return nil, "want " + cmp.Or(f.shape.answerHint(), "a "+f.Format)
		}
	}
	n := utf8.RuneCountInString(line)
	if f.MinLength != nil && n < *f.MinLength || f.MaxLength != nil && n > *f.MaxLength {
		return nil, fmt.Sprintf("want %s, not %d", cmp.Or(f.shape.answerHint(), fmt.Sprintf("at least %d characters", *f.MinLength)), n)
	}
	return text(line), ""
}

// again forgets what the engine refused and says why; false where no field is to blame.
func (f *form) again(to io.Writer, err error) bool {
	found := false
	for _, fault := range faultsIn(err) {
		pointer := strings.TrimPrefix(fault.Pointer, "/response")
		name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
		if _, known := f.values[name]; known {
			delete(f.values, name)
			fmt.Fprintf(to, "  %s: %s\n", name, fault.Message)
			found = true
		}
	}
	return found
}

// faultsIn are the places that an error names.
func faultsIn(err error) []graph.Fault {
	var remote *client.Error
	if errors.As(err, &remote) {
		return remote.Faults
	}
	var own *engine.DetailError
	if errors.As(err, &own) {
		return own.Faults
	}
	return nil
}

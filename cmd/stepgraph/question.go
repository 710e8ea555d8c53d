package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// approves describes what an approval approves: the function, the step's name and the
// resolved input, a line each. Empty for other questions.
func approves(q engine.Question) []string {
	if q.Kind != engine.AskApproval {
		return nil
	}
	what := "runs " + cmp.Or(q.Function, "no function")
	if q.Name != "" {
		what += " (" + q.Name + ")"
	}
	if len(q.Input) == 0 || string(q.Input) == "{}" {
		return []string{what + " without input"}
	}
	var laidOut bytes.Buffer
	if json.Indent(&laidOut, q.Input, "", "  ") != nil {
		return []string{what + " with " + string(q.Input)}
	}
	return append([]string{what + " with"}, strings.Split(laidOut.String(), "\n")...)
}

// answerHint describes the answer that a question takes, "" where any text will do.
func answerHint(q engine.Question) string {
	switch {
	case q.Kind == engine.AskApproval:
		return `yes, no, edit (approve with changes), or {"approved": …, "input": …, "reason": …}`
	case q.Kind == engine.AskConfirm && len(q.Options) == 0:
		return "yes or no"
	case len(q.Schema) > 0:
		return wantsSchema(q.Schema)
	}
	return ""
}

// A shape is the part of a JSON Schema that is described in one line.
type shape struct {
	Type        any                        `json:"type"`
	Format      string                     `json:"format"`
	Description string                     `json:"description"`
	Enum        []json.RawMessage          `json:"enum"`
	Minimum     *json.Number               `json:"minimum"`
	Maximum     *json.Number               `json:"maximum"`
	MinLength   *int                       `json:"minLength"`
	MaxLength   *int                       `json:"maxLength"`
	Required    []string                   `json:"required"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Items       json.RawMessage            `json:"items"`
	Default     json.RawMessage            `json:"default"`
}

func wantsSchema(schema json.RawMessage) string {
	var s shape
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	return s.answerHint()
}

// answerHint describes a value of the shape, "" where any text will do.
func (s *shape) answerHint() string {
	if len(s.Enum) > 0 {
		return "one of " + plainList(s.Enum)
	}
	switch s.Type {
	case "string":
		if s.Format != "" {
			return map[string]string{"date": "a date, as 2026-01-31", "date-time": "a date and time, as 2026-01-31T12:00:00Z",
				"email": "an e-mail address"}[s.Format]
		}
		return sized("a text", "characters", s.MinLength, s.MaxLength)
	case "integer", "number":
		noun := map[any]string{"integer": "a whole number", "number": "a number"}[s.Type]
		return ranged(noun, s.Minimum, s.Maximum)
	case "boolean":
		return "true or false"
	case "array":
		return "a JSON list"
	case "object":
		return "a JSON object" + s.fields()
	}
	return ""
}

// fields lists what an object holds: {"name": a text, "pieces": a whole number from 1 to 5}.
func (s *shape) fields() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		one := fmt.Sprintf("%q", name)
		if hint := wantsSchema(s.Properties[name]); hint != "" {
			one += ": " + hint
		}
		required := false
		for _, r := range s.Required {
			required = required || r == name
		}
		if !required {
			one += ", may be left out"
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return ""
	}
	return ": {" + strings.Join(all, "; ") + "}"
}

func plainList(values []json.RawMessage) string {
	words := make([]string, len(values))
	for i, v := range values {
		if json.Unmarshal(v, &words[i]) != nil {
			words[i] = string(v)
		}
	}
	return strings.Join(words, ", ")
}

func ranged(noun string, from, to *json.Number) string {
	switch {
	case from != nil && to != nil:
		return fmt.Sprintf("%s from %s to %s", noun, *from, *to)
	case from != nil:
		return fmt.Sprintf("%s, at least %s", noun, *from)
	case to != nil:
		return fmt.Sprintf("%s, at most %s", noun, *to)
	}
	return noun
}

func sized(noun, of string, from, to *int) string {
	switch {
	case from != nil && to != nil:
		return fmt.Sprintf("%s of %d to %d %s", noun, *from, *to, of)
	case to != nil:
		return fmt.Sprintf("%s of at most %d %s", noun, *to, of)
	}
	return "" // any text will do
}

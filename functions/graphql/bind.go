package graphql

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// token matches the tokens of a query that matter for finding names: block strings, strings,
// comments, and names, including the $ of a variable.
var token = regexp.MustCompile(`(?s)"""(?:\\"""|.)*?"""|"(?:\\.|[^"\\\n])*"|#[^\n\r]*|\$?[_A-Za-z][_0-9A-Za-z]*`)

var name = regexp.MustCompile(`^[_A-Za-z][_0-9A-Za-z]*$`)

// Bind replaces identifiers in a query by GraphQL literals of their values; bindings is a JSON
// object of values by identifier. An identifier inside a string is an error, because the
// literal has its own quotes.
func Bind(query string, bindings json.RawMessage) (string, error) {
	if len(bindings) == 0 {
		return query, nil
	}
	fields, err := input.Parse(bindings)
	if err != nil {
		return "", err
	}
	values := make(map[string]json.RawMessage, len(fields))
	for _, f := range fields {
		values[f.Name] = f.Value
	}
	var fault error
	bound := token.ReplaceAllStringFunc(query, func(found string) string {
		switch value, known := values[found]; {
		case known:
			literal, err := literal(value)
			if err != nil && fault == nil {
				fault = err
			}
			return literal
		case found[0] == '"' && fault == nil:
			fault = quoted(found, fields)
		}
		return found
	})
	return bound, fault
}

func quoted(text string, fields input.Object) error {
	for _, f := range fields {
		if strings.Contains(text, f.Name) {
			return fmt.Errorf("query: a reference stands inside quotes; leave the quotes out, a text brings its own")
		}
	}
	return nil
}

// literal writes a JSON value as a GraphQL literal. Only objects differ: their keys are names
// without quotes.
func literal(value json.RawMessage) (string, error) {
	switch value[0] {
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return "", err
		}
		parts := make([]string, len(list))
		for i, element := range list {
			var err error
			if parts[i], err = literal(trim(element)); err != nil {
				return "", err
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	case '{':
		return object(value)
	case '"':
		return string(input.Encode(input.TextOf(value))), nil // writes all escapes in one form
	}
	return string(value), nil
}

func object(value json.RawMessage) (string, error) {
	fields, err := input.Parse(value)
	if err != nil {
		return "", err
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		if !name.MatchString(f.Name) {
			return "", fmt.Errorf("query: the key %q of a referred object is not a name in GraphQL; give the object in variables", f.Name)
		}
		text, err := literal(f.Value)
		if err != nil {
			return "", err
		}
		parts[i] = f.Name + ": " + text
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

func trim(value json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.TrimSpace(string(value)))
}

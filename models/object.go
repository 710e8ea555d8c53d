package models

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Object returns what Response.Object is for an answer: text as compact JSON if
// schema is given and text is JSON, else nil. Models that were asked for JSON
// without being held to it like to put it in a Markdown fence, which is taken
// off.
func Object(schema json.RawMessage, text string) json.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	if object, ok := compact(text); ok {
		return object
	}
	if object, ok := compact(unfence(text)); ok {
		return object
	}
	return nil
}

// unfence takes off a Markdown code fence that encloses the whole text.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	rest, opened := strings.CutPrefix(text, "```")
	rest, closed := strings.CutSuffix(rest, "```")
	_, body, found := strings.Cut(rest, "\n")
	if !opened || !closed || !found {
		return text
	}
	return body
}

func compact(text string) (json.RawMessage, bool) {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// quote returns text as JSON.
func quote(text string) json.RawMessage { return mustEncode(text) }

// SchemaInWords asks for output of a schema in a system message, for models that
// cannot be held to it.
func SchemaInWords(schema json.RawMessage) string {
	return "Answer with a single JSON value and nothing else. It must be valid against this JSON Schema:\n" + string(schema)
}

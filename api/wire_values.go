package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// jsonText is JSON kept as text. It is given as a text, exactly as stored, and taken as a
// text or as JSON, which becomes its compact form.
type jsonText string

// UnmarshalJSON reads a text or any JSON; null is not text.
func (t *jsonText) UnmarshalJSON(b []byte) error {
	text, err := textOf(b)
	*t = jsonText(text)
	return err
}

// Schema says so to clients.
func (jsonText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeObject, AdditionalProperties: true}}}
}

// textOrNumber is a text that may be sent as a number.
type textOrNumber string

// UnmarshalJSON reads a text, or a number as its text.
func (t *textOrNumber) UnmarshalJSON(b []byte) error {
	text, err := textOf(b)
	*t = textOrNumber(text)
	return err
}

// Schema says so to clients.
func (textOrNumber) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}}}
}

func textOf(b []byte) (string, error) {
	b = bytes.TrimSpace(b)
	switch {
	case bytes.Equal(b, []byte("null")):
		return "", nil
	case len(b) > 0 && b[0] == '"':
		var text string
		err := json.Unmarshal(b, &text)
		return text, err
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, b)
	return compact.String(), err
}

// condition is a path's condition: nil, a text, or a native list of plain values.
type condition struct{ value any }

// IsZero leaves an absent condition out.
func (c condition) IsZero() bool { return c.value == nil }

// MarshalJSON gives what is stored.
func (c condition) MarshalJSON() ([]byte, error) { return json.Marshal(c.value) }

// UnmarshalJSON keeps a text and a list of plain values as they are; other JSON becomes
// its text, which the condition language reads.
func (c *condition) UnmarshalJSON(b []byte) error {
	v, err := decodeNumbers(b)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case nil, string:
		c.value = v
		return nil
	case []any:
		if allPlain(v) {
			c.value = v
			return nil
		}
	case map[string]any:
	default:
		c.value = []any{v}
		return nil
	}
	text, err := textOf(b)
	c.value = text
	return err
}

// Schema takes any JSON.
func (condition) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func allPlain(list []any) bool {
	for _, v := range list {
		switch v.(type) {
		case []any, map[string]any, nil:
			return false
		}
	}
	return true
}

// properties are those of a node that we do not know: plain values and lists of them, as
// a graph can keep them. Whole numbers stay whole.
type properties map[string]any

// UnmarshalJSON reads an object of such values.
func (p *properties) UnmarshalJSON(b []byte) error {
	v, err := decodeNumbers(b)
	if err != nil {
		return err
	}
	object, ok := v.(map[string]any)
	if !ok && v != nil {
		return fmt.Errorf("want an object")
	}
	for k, v := range object {
		list, isList := v.([]any)
		if _, isObject := v.(map[string]any); isObject || isList && !allPlain(list) {
			return fmt.Errorf("property %q: a node keeps texts, numbers, true, false and lists of these, nothing nested", k)
		}
		if v == nil {
			delete(object, k)
		}
	}
	*p = object
	return nil
}

// Schema takes any object.
func (properties) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// decodeNumbers reads JSON with whole numbers as int64, others as float64.
func decodeNumbers(b []byte) (any, error) {
	var v any
	if err := jsontext.Decode(b, &v); err != nil {
		return nil, err
	}
	return plainNumbers(v)
}

func plainNumbers(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			if n, err := v.Int64(); err == nil {
				return n, nil
			}
		}
		return v.Float64()
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = plainNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

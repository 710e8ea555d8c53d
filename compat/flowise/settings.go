package flowise

import (
	"encoding/json"
	"strconv"
	"strings"
)

// settings are the inputs of a node as stored: numbers may be texts, lists may be the JSON
// text of one, and what was never set is an empty text.
type settings map[string]json.RawMessage

// text is a setting as text, "" when it is absent or no scalar.
func (s settings) text(name string) string { return textOf(s[name]) }

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// flag is a setting as true or false; the text "true" counts.
func (s settings) flag(name string) bool {
	text := s.text(name)
	return text == "true"
}

// number is a setting as a number, ok is false when it is none.
func (s settings) number(name string) (n float64, ok bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s.text(name)), 64)
	return n, err == nil
}

// count is a setting as a whole number of at least 1, else otherwise.
func (s settings) count(name string, otherwise int) int {
	if n, ok := s.number(name); ok && n >= 1 && n < 1e9 {
		return int(n)
	}
	return otherwise
}

// rows is a setting that is a list of objects, also given as its JSON text. ok is false when
// it is something else; an empty text is no rows.
func (s settings) rows(name string) (rows []settings, ok bool) {
	raw := s[name]
	if text := strings.TrimSpace(s.text(name)); len(raw) > 0 && raw[0] == '"' {
		if text == "" {
			return nil, true
		}
		raw = json.RawMessage(text)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	return rows, json.Unmarshal(raw, &rows) == nil
}

// object is a setting that is an object, also given as its JSON text; nil when it is none.
func (s settings) object(name string) settings {
	raw := s[name]
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(s.text(name))
	}
	var out settings
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

package inputs

import (
	"encoding/json"
	"sort"
	"strings"
)

// Names returns the sorted field names of an object.
func Names(object map[string]json.RawMessage) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Spoken returns the text of an input value with its references unresolved: a text, a literal,
// or joined parts; null is "", and anything else its JSON.
func Spoken(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var form struct {
		Literal json.RawMessage   `json:"@literal"`
		Parts   []json.RawMessage `json:"@text"`
		Join    string            `json:"@join"`
	}
	_ = json.Unmarshal(raw, &form) // a list or a number has no parts
	switch {
	case form.Literal != nil:
		return Spoken(form.Literal)
	case form.Parts != nil:
		parts := make([]string, len(form.Parts))
		for i, part := range form.Parts {
			parts[i] = Spoken(part)
		}
		return strings.Join(parts, form.Join)
	}
	return string(raw)
}

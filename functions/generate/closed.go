package generate

import (
	"bytes"
	"encoding/json"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// closed removes fields that the schema does not allow: additional fields of an object that
// has only the listed properties. Providers enforce a schema on structured output, but few do
// so on the arguments of a tool, and models add fields they find useful; repeating the request
// because of an additional field would waste a call. All other faults are kept.
func closed(schema, value json.RawMessage) json.RawMessage {
	var s struct {
		Properties           map[string]json.RawMessage
		AdditionalProperties json.RawMessage
		Items                json.RawMessage
	}
	if len(value) == 0 || json.Unmarshal(schema, &s) != nil { // or the schema is the boolean true
		return value
	}
	switch value[0] {
	case '[':
		return closedList(s.Items, value)
	case '{':
	default:
		return value
	}
	fields, err := input.Parse(value)
	if err != nil {
		return value
	}
	var kept input.Object
	for _, field := range fields {
		property, known := s.Properties[field.Name]
		if known {
			field.Value = closed(property, field.Value)
		}
		if known || !bytes.Equal(s.AdditionalProperties, []byte("false")) {
			kept = append(kept, field)
		}
	}
	return kept.Encode()
}

func closedList(items, value json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if len(items) == 0 || json.Unmarshal(value, &list) != nil {
		return value
	}
	for i := range list {
		list[i] = closed(items, list[i])
	}
	return input.Encode(list)
}

package generate

import (
	"bytes"
	"encoding/json"

	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// closed leaves out of a value what its schema does not allow to be there: fields beside the
// properties of an object that takes no others. Providers hold a format to its schema, but
// hardly one does so with the arguments of a tool, and models like to add what they think is
// useful; asking again for want of a field less would waste a call. Every other fault stays.
func closed(schema, value json.RawMessage) json.RawMessage {
	var s struct {
		Properties           map[string]json.RawMessage
		AdditionalProperties json.RawMessage
		Items                json.RawMessage
	}
	if len(value) == 0 || json.Unmarshal(schema, &s) != nil { // also a schema that is true
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

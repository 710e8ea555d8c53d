package flowise

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// A field is one member of an object, in the order of the text.
type field struct {
	name  string
	value json.RawMessage
}

// orderedFields reads an object that is given as such or as its JSON text.
func orderedFields(raw json.RawMessage) ([]field, error) {
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(textOf(raw))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("want an object")
	}
	var out []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)}
		if err := d.Decode(&f.value); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

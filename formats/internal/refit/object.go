package refit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/formats/internal/inputs"
	"github.com/tidwall/sjson"
)

// Set puts a value into a JSON object where the value differs from what stands there, so that
// an object nobody changed stays as it was written. path is of the form a.b.
func Set(object []byte, path string, was, is any) ([]byte, error) {
	if was == is {
		return object, nil
	}
	out, err := sjson.SetRawBytes(object, path, []byte(inputs.Encode(is)))
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", path, err)
	}
	return out, nil
}

// Join is the text of a file: first, then what the JSON object members says besides, by name.
func Join(first inputs.Object, members string) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if members != "" {
		if err := json.Unmarshal([]byte(members), &all); err != nil {
			return nil, fmt.Errorf("what stood beside nodes and edges is no JSON object: %w", err)
		}
	}
	for _, f := range first {
		delete(all, f.Name)
	}
	for _, name := range sorted(all) {
		first = first.With(name, all[name])
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(inputs.Encode(first)), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

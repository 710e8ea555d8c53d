package engine

import (
	"bytes"
	"encoding/json"
)

// encodePlain encodes v as compact JSON with nothing escaped that JSON does not require.
func encodePlain(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

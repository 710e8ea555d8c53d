package input

import (
	"bytes"
	"encoding/json"
)

// ResponseText is the text in an output of generate: the output itself, or the first of the
// usual fields that is there, else the object as JSON.
func ResponseText(output json.RawMessage) string {
	if !bytes.HasPrefix(output, []byte("{")) {
		return TextOf(output)
	}
	object, err := Parse(output)
	if err != nil {
		return TextOf(output)
	}
	for _, name := range []string{"response", "text", "message", "content"} {
		if value := object.Get(name); value != nil {
			return TextOf(value)
		}
	}
	return TextOf(output)
}

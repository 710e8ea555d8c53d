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

// ResultText is the text of any output: the output itself where it is text, the first text
// of the fields in which functions put theirs, else the output as JSON; null has none.
func ResultText(output json.RawMessage) string {
	if !bytes.HasPrefix(output, []byte("{")) {
		return TextOf(output)
	}
	object, err := Parse(output)
	if err != nil {
		return TextOf(output)
	}
	for _, name := range []string{"text", "response", "result", "content"} {
		if value := object.Get(name); bytes.HasPrefix(value, []byte(`"`)) {
			return TextOf(value)
		}
	}
	return TextOf(output)
}

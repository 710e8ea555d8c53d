package input

import (
	"bytes"
	"encoding/json"
)

// ResponseText returns the text of an output of generate: the output itself if it is text,
// else the first of the usual text fields, else the output as JSON.
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

// ResultText returns the text of any output: the output itself if it is text, else the first
// text field that functions use for it, else the output as JSON; "" for null.
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

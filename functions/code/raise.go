package code

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// messageField is replaced in raise by the message of the script's error.
const messageField = "{message}"

// raising reads the field raise: whether an error of the script is an error of the step, and
// its text. It is always one when the result is the whole output, which has no field for an
// error.
func (in Input) raising() (text string, raise bool, err error) {
	if in.Raise == nil {
		return messageField, bool(in.AsOutput), nil
	}
	if text = input.TextOf(in.Raise); in.Raise[0] == '"' && strings.Contains(text, messageField) {
		return text, true, nil
	}
	var asError input.Bool
	if err := json.Unmarshal(in.Raise, &asError); err != nil {
		return "", false, input.Bad("raise: want true, false or a text with %s, not %s", messageField, in.Raise)
	}
	return messageField, bool(asError || in.AsOutput), nil
}

func raised(text string, fault *scriptError) error {
	return &function.CallError{Message: strings.ReplaceAll(text, messageField, fault.message), Err: fault}
}

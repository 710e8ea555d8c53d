package code

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// messageField stands in raise for what the error of the script says.
const messageField = "{message}"

// raising reads raise: whether an error of the script is one of the step, and with which
// text. A result that is the output leaves no place for an error.
func (in Input) raising() (text string, raise bool, err error) {
	if in.Raise == nil {
		return messageField, bool(in.AsOutput), nil
	}
	if text = input.TextOf(in.Raise); in.Raise[0] == '"' && strings.Contains(text, messageField) {
		return text, true, nil
	}
	var told input.Bool
	if err := json.Unmarshal(in.Raise, &told); err != nil {
		return "", false, input.Bad("raise: want true, false or a text with %s, not %s", messageField, in.Raise)
	}
	return messageField, bool(told || in.AsOutput), nil
}

func raised(text string, fault *scriptError) error {
	return &engine.CallError{Message: strings.ReplaceAll(text, messageField, fault.message), Err: fault}
}

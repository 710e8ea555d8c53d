package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// ConfirmInput is the input of utils.request.confirm.
type ConfirmInput struct {
	Question
	ConfirmText input.Text `json:"confirm_text,omitempty" jsonschema:"the text that means yes; Yes when absent"`
	DenyText    input.Text `json:"deny_text,omitempty" jsonschema:"the text that means no; No when absent"`
	Feedback    input.Bool `json:"feedback,omitempty" jsonschema:"the answer may be {answer, feedback}: yes or no, and a remark"`
}

// Confirm asks a person for yes or no. The answers accepted are booleans, yes and no, and the
// two texts, which the output entry lists as its options. The answered output also has the
// field confirmed. Like Request it only pauses the session.
func Confirm(_ context.Context, entry input.Object) (json.RawMessage, error) {
	in, err := input.Bind[ConfirmInput](entry)
	if err != nil {
		return nil, err
	}
	ask, entry, err := question(entry, function.AskConfirm)
	if err != nil {
		return nil, err
	}
	yes, no := or(in.ConfirmText, "Yes"), or(in.DenyText, "No")
	if strings.EqualFold(yes, no) {
		return nil, input.Bad("confirm_text and deny_text are both %q", yes)
	}
	ask.Options = []function.Option{{Text: yes, Value: json.RawMessage("true")}, {Text: no, Value: json.RawMessage("false")}}
	ask.Feedback = bool(in.Feedback)
	entry = entry.Without("feedback", "confirmed", "text")
	ask.Entry = entry.With("options", input.Encode(ask.Options)).Encode()
	return nil, ask
}

// or returns text trimmed of white space, or other if that is empty.
func or(text input.Text, other string) string {
	if trimmed := strings.TrimSpace(string(text)); trimmed != "" {
		return trimmed
	}
	return other
}

func confirmSpec() function.Spec {
	return function.Spec{
		Name:        "utils.request.confirm",
		Aliases:     []string{"confirm"},
		Description: "Asks a person for yes or no and waits for the answer.",
		Check:       input.Check[ConfirmInput](tried(Confirm)),
		Needs:       function.Needs{Own: true, OneOf: []string{"prompt", "message"}},
		Input:       input.Schema[ConfirmInput](),
		Output:      input.Schema[ConfirmOutput](),
		Function:    function.ObjectFunc(Confirm),
	}
}

// ConfirmOutput describes the output after the question was answered, beside the fields of the
// input.
type ConfirmOutput struct {
	RequestOutput
	Options   []function.Option `json:"options,omitempty" jsonschema:"the texts for yes and no, in this order"`
	Confirmed bool              `json:"confirmed,omitempty" jsonschema:"whether the answer was yes"`
	Feedback  string            `json:"feedback,omitempty" jsonschema:"with feedback: the remark"`
	Text      string            `json:"text,omitempty" jsonschema:"with feedback: the same, else the text of the answer"`
}

package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// SelectInput is the input of utils.request.select.
type SelectInput struct {
	Question
	Options json.RawMessage `json:"options,omitempty" jsonschema:"the only answers, each a text or {text, value}"`
	Choices json.RawMessage `json:"choices,omitempty" jsonschema:"used when there are no options"`
}

// Select asks a person to choose one of the options; no other answer is accepted. The answered
// output also has the value of the chosen option, which is its text if it has none. The output
// entry lists all options as {text, value}. Like Request it only pauses the session.
func Select(_ context.Context, entry input.Object) (json.RawMessage, error) {
	in, err := input.Bind[SelectInput](entry)
	if err != nil {
		return nil, err
	}
	ask, entry, err := question(entry, function.AskSelect)
	if err != nil {
		return nil, err
	}
	name, given := "options", in.Options
	if given == nil {
		name, given = "choices", in.Choices
	}
	if ask.Options, err = options(name, given); err != nil {
		return nil, err
	}
	if len(ask.Options) == 0 {
		return nil, input.Bad("options: there is nothing to choose from, so nobody could answer")
	}
	ask.Entry = entry.With("options", input.Encode(ask.Options)).Encode()
	return nil, ask
}

func selectSpec() function.Spec {
	return function.Spec{
		Name:        "utils.request.select",
		Aliases:     []string{"select"},
		Description: "Asks a person to choose one of several options and waits for the answer.",
		Check:       input.Check[SelectInput](checkQuestion, tried(Select)),
		Needs:       function.Needs{Own: true, OneOf: []string{"options", "choices"}},
		Input:       input.Schema[SelectInput](),
		Output:      input.Schema[SelectOutput](),
		Function:    function.ObjectFunc(Select),
	}
}

// SelectOutput describes the output after the question was answered, in addition to the fields
// of the input.
type SelectOutput struct {
	RequestOutput
	Options []function.Option `json:"options,omitempty" jsonschema:"the options"`
	Value   json.RawMessage   `json:"value,omitempty" jsonschema:"the value of the option chosen"`
}

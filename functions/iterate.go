package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// IterateInput is the input of iterate.
type IterateInput struct {
	Items     json.RawMessage `json:"items,omitempty" jsonschema:"a list, or the JSON text of one; each element is the item of one round"`
	MaxRounds input.Int       `json:"max_rounds,omitempty" jsonschema:"the step fails when the list is longer; no limit when absent"`
	Separator *string         `json:"separator,omitempty" jsonschema:"separates the texts of the results; a new line when absent"`
	OnError   input.Text      `json:"on_error,omitempty" jsonschema:"continue: a failed round is a result too. Without this field, the step's own on_error decides"`
}

// IterateOutput is the final output of an iteration. While it runs, its output is {item,
// index}.
type IterateOutput struct {
	Results []json.RawMessage `json:"results" jsonschema:"the result of each round, {error: {message, kind}} where it failed"`
	Outputs []string          `json:"outputs" jsonschema:"their texts"`
	Count   int               `json:"count" jsonschema:"how many rounds there were"`
	Failed  int               `json:"failed" jsonschema:"how many of them failed"`
	Text    string            `json:"text" jsonschema:"the texts, joined"`
}

// Iterate runs the steps that its step contains once for each item, in sequence. It is pure:
// the engine keeps the state of the rounds.
func Iterate(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[IterateInput](fields)
	if err != nil {
		return nil, err
	}
	if body := function.CallOf(ctx).Body; body != nil {
		return in.finish(body), nil
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	list, err := items("items", in.Items)
	if err != nil {
		return nil, err
	}
	return nil, &function.RunBody{Items: list, MaxRounds: int(in.MaxRounds), Finish: true, KeepGoing: in.OnError == graph.OnErrorContinue}
}

func (in IterateInput) check() error {
	if in.OnError != "" && in.OnError != graph.OnErrorContinue {
		return input.Bad("on_error: want continue or nothing, not %q", in.OnError)
	}
	return nil
}

func (in IterateInput) finish(body *function.BodyOutcome) json.RawMessage {
	list := readResults(body)
	return input.Encode(IterateOutput{Results: list.Results, Outputs: list.Texts, Count: len(list.Results), Failed: list.Failed,
		Text: list.join(in.Separator)})
}

func checkIterate(in IterateInput, given input.Object) error {
	if given.Get("items") == nil || in.Items != nil {
		if _, err := items("items", in.Items); err != nil {
			return err
		}
	}
	return in.check()
}

func iterateSpec() function.Spec {
	return function.Spec{
		Name:        "iterate",
		Aliases:     []string{"utils.iterate"},
		Description: "Runs the steps it contains once for each element of a list, one after the other.",
		Rounds:      true,
		Check:       input.Check[IterateInput](checkInput(checkIterate)),
		Input:       input.Schema[IterateInput](),
		Output:      input.Schema[IterateOutput](),
		Examples: []function.Example{
			{Title: "For each line of an order", Input: json.RawMessage(`{"items": "@{SESSION_ID}.order.lines"}`)},
			{Title: "Go on after a failure", Input: json.RawMessage(`{"items": ["a", "b"], "on_error": "continue", "separator": ", "}`)},
		},
		Function: function.ObjectFunc(Iterate),
	}
}

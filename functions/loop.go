package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// LoopInput is the input of loop.
type LoopInput struct {
	Count     *input.Int      `json:"count,omitempty" jsonschema:"how many rounds; with over at most as many as there are elements"`
	While     json.RawMessage `json:"while,omitempty" jsonschema:"a condition, as on a path, evaluated before each round"`
	Until     json.RawMessage `json:"until,omitempty" jsonschema:"a condition, as on a path, evaluated after each round"`
	Over      json.RawMessage `json:"over,omitempty" jsonschema:"a list whose elements are the items of the rounds"`
	MaxRounds input.Int       `json:"max_rounds,omitempty" jsonschema:"the step fails when it would need more; the number of rounds, else 1000, when absent"`
}

// LoopOutput is the final output of a loop. While it runs, its output is {item, index}.
type LoopOutput struct {
	Results []json.RawMessage `json:"results" jsonschema:"the result of each round"`
	Count   int               `json:"count" jsonschema:"how many rounds there were"`
	Text    string            `json:"text" jsonschema:"the texts of the results, a line each"`
}

// Loop runs the steps that its step contains repeatedly until it ends: after a number of
// rounds, at the end of a list, by a condition, or by a path out of the body. It is pure: the
// engine keeps the state of the rounds.
func Loop(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[LoopInput](fields)
	if err != nil {
		return nil, err
	}
	if body := function.CallOf(ctx).Body; body != nil {
		list := readResults(body)
		return input.Encode(LoopOutput{Results: list.Results, Count: len(list.Results), Text: list.join(nil)}), nil
	}
	run := &function.RunBody{While: in.While, Until: in.Until, MaxRounds: int(in.MaxRounds), Finish: true}
	switch {
	case in.Count == nil:
	case *in.Count < 0:
		return nil, input.Bad("count: %d is less than none", *in.Count)
	case *in.Count == 0:
		run.Items = []json.RawMessage{} // Rounds 0 would mean no limit
	default:
		run.Rounds = int(*in.Count)
	}
	if fields.Has("over") && run.Items == nil { // null is not a list, and without a list the loop would not end
		if run.Items, err = items("over", in.Over); err != nil {
			return nil, err
		}
	}
	return nil, run
}

func checkLoop(in LoopInput, given input.Object) error {
	if given.Has("over") && !refers(given.Get("over")) {
		_, err := items("over", in.Over)
		return err
	}
	for _, name := range []string{"count", "while", "until", "over", "max_rounds"} {
		if given.Get(name) != nil {
			return nil
		}
	}
	return input.Bad("nothing ends this loop but a path out of it: give count, while, until, over or at least max_rounds")
}

func loopSpec() function.Spec {
	return function.Spec{
		Name:        "loop",
		Aliases:     []string{"utils.loop"},
		Description: "Repeats the steps it contains: a number of times, for each element of a list, or while a condition is true.",
		Rounds:      true,
		Raw:         []string{"while", "until"},
		Check:       input.Check[LoopInput](checkInput(checkLoop)),
		Input:       input.Schema[LoopInput](),
		Output:      input.Schema[LoopOutput](),
		Examples: []function.Example{
			{Title: "Three rounds", Input: json.RawMessage(`{"count": 3}`)},
			{Title: "Until the body is content, at most ten times", Input: json.RawMessage(`{"until": "@{SESSION_ID}.review.approved", "max_rounds": 10}`)},
			{Title: "Over a list", Input: json.RawMessage(`{"over": ["red", "green"], "until": {"true": "@{SESSION_ID}.check.found"}}`)},
		},
		Function: function.ObjectFunc(Loop),
	}
}

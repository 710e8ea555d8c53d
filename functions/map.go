package functions

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// MapInput is the input of map.
type MapInput struct {
	Items       json.RawMessage `json:"items,omitempty" jsonschema:"a list, or the JSON text of one; each element gets a session of its own"`
	Workflow    input.Text      `json:"workflow,omitempty" jsonschema:"what the sessions run; the steps that this step contains when absent"`
	Entry       input.Text      `json:"entry,omitempty" jsonschema:"the step at which the workflow begins; root when absent"`
	Inputs      json.RawMessage `json:"inputs,omitempty" takes:"object" jsonschema:"an object that each session gets beside item and index"`
	Outputs     json.RawMessage `json:"outputs,omitempty" jsonschema:"a step of the workflow, or a list of steps, whose outputs are the result; its last step when absent"`
	Concurrency input.Int       `json:"concurrency,omitempty" jsonschema:"how many sessions run at once; 32 when absent"`
	OnError     input.Text      `json:"on_error,omitempty" jsonschema:"continue: items that failed are results too; otherwise the step fails once all have ended; the step's own on_error when absent"`
	Separator   *string         `json:"separator,omitempty" jsonschema:"separates the texts of the results; a new line when absent"`
}

// MapOutput is the output of map, in the order of the items, whichever ended first.
type MapOutput struct {
	Results []json.RawMessage `json:"results" jsonschema:"the result of each session, {error: {message, kind}} where it failed"`
	Outputs []string          `json:"outputs" jsonschema:"their texts"`
	Count   int               `json:"count" jsonschema:"how many items there were"`
	Failed  int               `json:"failed" jsonschema:"how many of them failed"`
	Text    string            `json:"text" jsonschema:"the texts, joined"`
}

// KindMapFailed is the error kind of a map in which items failed. A retry of the step runs
// only the failed items again.
const KindMapFailed = "map_failed"

// Map runs a workflow, or the steps that its step contains, for all items in parallel, each in
// a child session. It is pure: the engine starts each session once.
func Map(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[MapInput](fields)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.OnError == "" {
		in.OnError = input.Text(function.CallOf(ctx).OnError)
	}
	if body := function.CallOf(ctx).Body; body != nil {
		return in.finish(body)
	}
	return nil, in.begin()
}

func (in MapInput) begin() error {
	list, err := items("items", in.Items)
	if err != nil {
		return err
	}
	outputs, err := stepIDs(in.Outputs)
	if err != nil {
		return err
	}
	given, err := inputsObject(in.Inputs)
	if err != nil {
		return err
	}
	run := &function.RunSessions{Concurrency: int(in.Concurrency), Outputs: outputs}
	for i, item := range list {
		own := input.Object{{Name: "item", Value: item}, {Name: "index", Value: input.Encode(i)}}
		run.Sessions = append(run.Sessions, function.ChildSession{
			Workflow: string(in.Workflow), Entry: string(in.Entry), Body: in.Workflow == "", Inputs: own.Over(given).Encode(),
		})
	}
	return run
}

func (in MapInput) finish(body *function.BodyOutcome) (json.RawMessage, error) {
	list := readResults(body)
	if list.Failed > 0 && in.OnError != graph.OnErrorContinue {
		for i, one := range body.Results {
			if one.Error != nil {
				return nil, &function.CallError{Kind: KindMapFailed,
					Message: fmt.Sprintf("%d of %d items failed; item %d: %s", list.Failed, len(body.Results), i, one.Error.Message)}
			}
		}
	}
	return input.Encode(MapOutput{Results: list.Results, Outputs: list.Texts, Count: len(list.Results), Failed: list.Failed,
		Text: list.join(in.Separator)}), nil
}

func (in MapInput) check() error {
	switch {
	case in.OnError != "" && in.OnError != graph.OnErrorContinue && in.OnError != graph.OnErrorStopPath:
		return input.Bad("on_error: want continue or stop_path, not %q", in.OnError)
	case in.Concurrency < 0:
		return input.Bad("concurrency: %d is less than none", in.Concurrency)
	}
	return nil
}

func checkMap(in MapInput, given input.Object) error {
	if given.Get("items") == nil || in.Items != nil {
		if _, err := items("items", in.Items); err != nil {
			return err
		}
	}
	if err := in.check(); err != nil {
		return err
	}
	if given.Get("workflow") == nil && given.Get("entry") != nil {
		return input.Bad("entry: names a step of a workflow, and no workflow is given")
	}
	return nil
}

func mapSpec() function.Spec {
	return function.Spec{
		Name:        "map",
		Aliases:     []string{"utils.map"},
		Description: "Runs a workflow, or the steps it contains, for the elements of a list in parallel, each in a child session.",
		Rounds:      true,
		Arguments:   "inputs",
		Check:       input.Check[MapInput](checkInput(checkMap)),
		Input:       input.Schema[MapInput](),
		Output:      input.Schema[MapOutput](),
		Examples: []function.Example{
			{Title: "A workflow for each customer", Input: json.RawMessage(`{"items": "@{SESSION_ID}.customers.list", "workflow": "invoice", "concurrency": 8}`)},
			{Title: "The steps it contains, failures included", Input: json.RawMessage(`{"items": [1, 2, 3], "on_error": "continue"}`)},
		},
		Function: function.ObjectFunc(Map),
	}
}

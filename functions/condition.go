package functions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/expressions"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// ConditionInput is the input of condition.
type ConditionInput struct {
	Expression input.Text      `json:"expression,omitempty" jsonschema:"the expression, as in Python: len(input) > 3 and 'x' in input.lower(); a reference in it is a value"`
	Input      json.RawMessage `json:"input,omitempty" jsonschema:"the value called input; empty text when absent"`
	Variables  json.RawMessage `json:"variables,omitempty" takes:"object" jsonschema:"an object of further values by name"`
}

// ConditionOutput is the output of condition. Paths test result or branch.
type ConditionOutput struct {
	Result bool            `json:"result" jsonschema:"whether the expression is true"`
	Branch string          `json:"branch" jsonschema:"the same as text, true or false"`
	Text   string          `json:"text" jsonschema:"the text of input, for the next step"`
	Input  json.RawMessage `json:"input" jsonschema:"input as it was given"`
}

// Condition evaluates an expression. It is pure, as is the language; see package expressions.
func Condition(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[ConditionInput](fields)
	if err != nil {
		return nil, err
	}
	expression, err := expressions.Parse(string(in.Expression))
	if err != nil {
		return nil, input.Bad("expression: %v", err)
	}
	given := in.Input
	if given == nil {
		given = json.RawMessage(`""`)
	}
	names, err := in.names(given, function.CallOf(ctx).Bindings)
	if err != nil {
		return nil, err
	}
	holds, err := expression.True(names, expressions.Limits{})
	if err != nil {
		return nil, input.Bad("expression: %v", err)
	}
	return input.Encode(ConditionOutput{Result: holds, Branch: strconv.FormatBool(holds), Text: input.ResultText(given), Input: given}), nil
}

// names returns the values that the expression can use: variables, references and input. The
// values of references are always among them, because their names occur nowhere else.
func (in ConditionInput) names(given, bindings json.RawMessage) (map[string]any, error) {
	names := map[string]any{}
	for _, part := range []struct {
		field  string
		object json.RawMessage
	}{{"variables", in.Variables}, {"references", bindings}} {
		if len(part.object) == 0 {
			continue
		}
		if err := jsontext.Decode(part.object, &names); err != nil {
			return nil, input.Bad("%s: want an object, not %s", part.field, abridged(part.object))
		}
	}
	var value any
	if err := jsontext.Decode(given, &value); err != nil {
		return nil, input.Bad("input: %v", err)
	}
	if _, known := names["input"]; in.Input != nil || !known {
		names["input"] = value
	}
	return names, nil
}

// checkCondition parses the expression, with names in the place of its references.
func checkCondition(text json.RawMessage) []function.Problem {
	in, fields, err := input.Decode[ConditionInput](text)
	if err != nil || bytes.HasPrefix(fields.Get("expression"), []byte("{")) {
		return nil // an expression assembled by a form is checked when the step runs
	}
	bound, _ := references.Bind(string(in.Expression), func(i int) string { return fmt.Sprintf("ref_%d", i) })
	if _, err := expressions.Parse(bound); err != nil {
		return []function.Problem{{Level: "error", Code: "expression", Message: "expression: " + err.Error()}}
	}
	return nil
}

func conditionSpec() function.Spec {
	return function.Spec{
		Name:        "condition",
		Aliases:     []string{"utils.condition"},
		Description: "Evaluates an expression, written as in Python, on which the conditions of paths can depend.",
		Program:     []string{"expression"},
		Check:       input.Check[ConditionInput](checkCondition, tried(Condition)),
		Input:       input.Schema[ConditionInput](),
		Output:      input.Schema[ConditionOutput](),
		Examples: []function.Example{
			{Title: "A long text without complaints", Input: json.RawMessage(`{"expression": "len(input) > 5 and 'error' not in input.lower()", "input": "All is well"}`),
				Output: json.RawMessage(`{"result":true,"branch":"true","text":"All is well","input":"All is well"}`)},
			{Title: "Values by name", Input: json.RawMessage(`{"expression": "0 < count < limit", "variables": {"count": 7, "limit": 5}}`),
				Output: json.RawMessage(`{"result":false,"branch":"false","text":"","input":""}`)},
			{Title: "A reference in the expression", Input: json.RawMessage(`{"expression": "@{SESSION_ID}.score.total >= 0.75"}`)},
		},
		Function: function.ObjectFunc(Condition),
	}
}

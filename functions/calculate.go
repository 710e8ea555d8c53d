package functions

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/arithmetic"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// CalculateInput is the input of calculate.
type CalculateInput struct {
	Expression input.Text `json:"expression,omitempty" jsonschema:"such as 2 * (3 + 4)^2 / sqrt(2): + - * / % ^ ! and parentheses, pi and e, and functions such as sqrt, round, ln, log10, sin, min and max; angles are in radians"`
	Input      input.Text `json:"input,omitempty" jsonschema:"another name of expression"`
}

// CalculateOutput is the output of calculate.
type CalculateOutput struct {
	Result float64 `json:"result" jsonschema:"the number"`
	Text   string  `json:"text" jsonschema:"the number as text"`
}

// Calculate evaluates an arithmetic expression. It is pure.
func Calculate(_ context.Context, fields input.Object) (json.RawMessage, error) {
	in, err := input.Bind[CalculateInput](fields)
	if err != nil {
		return nil, err
	}
	given := in.expression()
	if given == "" {
		return nil, errNoExpression()
	}
	n, err := arithmetic.Evaluate(given)
	if err != nil {
		return nil, input.Bad("expression: %v", err)
	}
	return input.Encode(CalculateOutput{Result: n, Text: string(input.Encode(n))}), nil
}

func (in CalculateInput) expression() string {
	if in.Expression == "" {
		in.Expression = in.Input
	}
	return strings.TrimSpace(string(in.Expression))
}

func errNoExpression() error {
	return input.Bad("expression: is missing, so there is nothing to work out")
}

func checkCalculate(in CalculateInput, given input.Object) error {
	switch {
	case given.Get("expression") == nil && given.Get("input") == nil:
		return nil // a step without an expression is valid as a tool: the model supplies it
	case in.expression() == "":
		return nil
	}
	if _, err := arithmetic.Evaluate(in.expression()); err != nil {
		return input.Bad("expression: %v", err)
	}
	return nil
}

func calculateSpec() function.Spec {
	return function.Spec{
		Name:        "calculate",
		Aliases:     []string{"utils.calculate", "calculator"},
		Description: "Evaluates an arithmetic expression.",
		Check:       input.Check[CalculateInput](checkInput(checkCalculate)),
		Needs:       function.Needs{OneOf: []string{"expression", "input"}},
		Input:       input.Schema[CalculateInput](),
		Output:      input.Schema[CalculateOutput](),
		Parameters:  json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string","description":"an arithmetic expression such as 2 * (3 + 4)^2 / sqrt(2)"}},"required":["expression"]}`),
		Examples: []function.Example{
			{Title: "With a value of another step", Input: json.RawMessage(`{"expression": "round(@{SESSION_ID}.order.total * 1.19 * 100) / 100"}`)},
			{Title: "A sum", Input: json.RawMessage(`{"expression": "2 * (3 + 4)^2"}`), Output: json.RawMessage(`{"result":98,"text":"98"}`)},
		},
		Function: function.ObjectFunc(Calculate),
	}
}

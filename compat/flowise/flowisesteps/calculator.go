package flowisesteps

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// CalculatorInput is the input of calculate.flowise.
type CalculatorInput struct {
	Input       string `json:"input,omitempty" jsonschema:"an arithmetic expression"`
	OnErrorText string `json:"on_error_text,omitempty" jsonschema:"the result for the model when the expression cannot be evaluated"`
}

// CalculatorOutput is the output of calculate.flowise: that of calculate, and the error if
// there is no result.
type CalculatorOutput struct {
	Result *float64 `json:"result" jsonschema:"the number; null when there is none"`
	Text   string   `json:"text" jsonschema:"the number as text, or on_error_text"`
	Error  string   `json:"error,omitempty" jsonschema:"why there is no number"`
}

// calculator evaluates an expression. One that cannot be evaluated is not an error of the step: the
// model reads the text.
func calculator(ctx context.Context, given function.Object) (json.RawMessage, error) {
	out, err := functions.Calculate(ctx, given)
	if err == nil {
		return out, nil
	}
	text, bad := textField(given, "on_error_text")
	if bad != nil {
		return nil, bad
	}
	return jsontext.Marshal(CalculatorOutput{Text: text, Error: err.Error()})
}

func calculatorSpec() engine.Spec {
	return engine.Spec{
		Name:        "calculate.flowise",
		Description: "Evaluates an arithmetic expression for a model.",
		Input:       functions.Schema[CalculatorInput](),
		Output:      functions.Schema[CalculatorOutput](),
		Parameters:  json.RawMessage(`{"type":"object","properties":{"input":{"type":"string","description":"an arithmetic expression such as 2 * (3 + 4)^2 / sqrt(2)"}},"required":["input"]}`),
		Function:    function.ObjectFunc(calculator),
	}
}

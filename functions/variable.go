package functions

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// VariableInput is the input of variable.
type VariableInput struct {
	Name  input.Text      `json:"name,omitempty" jsonschema:"the field of the output that holds value as well"`
	Value json.RawMessage `json:"value,omitempty" jsonschema:"any value"`
	Set   json.RawMessage `json:"set,omitempty" jsonschema:"an object of which each field becomes a field of the output"`
}

// Variable gives values a name that references can use: the output has the fields of set,
// every other field of the input, and value, also under its name. It is pure.
func Variable(_ context.Context, text json.RawMessage) (json.RawMessage, error) {
	in, fields, err := input.Decode[VariableInput](text)
	if err != nil {
		return nil, err
	}
	var out input.Object
	if in.Set != nil {
		if out, err = input.Parse(in.Set); err != nil {
			return nil, input.Bad("set: want an object, not %s", in.Set)
		}
	}
	out = out.Over(fields.Without("name", "set"))
	if value := out.Get("value"); in.Name != "" && value != nil {
		out = out.With(string(in.Name), value)
	}
	return out.Encode(), nil
}

func variableSpec() engine.Spec {
	return engine.Spec{
		Name:        "variable",
		Aliases:     []string{"utils.variable"},
		Description: "Keeps values under names.",
		Input:       input.Schema[VariableInput](),
		Function:    engine.FunctionFunc(Variable),
	}
}

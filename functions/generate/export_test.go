package generate

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// SpecialSpec is generate with the special choices, which no function of ours offers.
func SpecialSpec(o Options) function.Spec {
	f := stepFunction{options: o}
	spec := Spec(o)
	spec.Check = func(text json.RawMessage) []function.Problem { return SpecialCheck(o, text) }
	spec.Function = function.ObjectFunc(func(ctx context.Context, fields input.Object) (json.RawMessage, error) {
		special, err := input.Bind[Special](fields)
		if err != nil {
			return nil, err
		}
		return f.callWith(ctx, fields, special)
	})
	return spec
}

// SpecialCheck checks an input of SpecialSpec.
func SpecialCheck(o Options, text json.RawMessage) []function.Problem {
	special, _, err := input.Decode[Special](text)
	if err != nil {
		return nil
	}
	return Check(o, text, special)
}

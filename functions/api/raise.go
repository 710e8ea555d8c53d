package api

import (
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// kindResponse is the error kind of a response that does not match response_type.
const kindResponse = "bad_response"

// raising reads the field raise: which failures are errors of the step.
func (in Input) raising() (func(*function.CallError) bool, error) {
	if in.Raise == nil {
		return func(*function.CallError) bool { return false }, nil
	}
	if strings.ToLower(strings.TrimSpace(input.TextOf(in.Raise))) == "connection" {
		return func(fault *function.CallError) bool {
			return fault.Kind != web.KindStatus && fault.Kind != kindResponse
		}, nil
	}
	var raise input.Bool
	if err := json.Unmarshal(in.Raise, &raise); err != nil {
		return nil, input.Bad("raise: want true, false or connection, not %s", in.Raise)
	}
	return func(*function.CallError) bool { return bool(raise) }, nil
}

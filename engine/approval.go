package engine

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
)

// askApproval asks whether a step may run with its resolved input.
func (r *questions) askApproval(step *graph.CompiledStep, input json.RawMessage, reads []Lineage) {
	prompt := step.Consent.Prompt
	if prompt == "" {
		prompt = fmt.Sprintf("Approve step %q?", step.ID)
	}
	r.open(step.ID, &state.Ask{Kind: AskApproval, Prompt: prompt, OnDue: step.Consent.OnDue,
		Function: step.Function, Name: step.Name, Started: r.now(), Input: input, Reads: reads}, step.Consent.Due)
}

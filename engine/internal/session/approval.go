package session

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// askApproval asks whether a step may run with its resolved input.
func (r *questions) askApproval(step *graph.CompiledStep, input json.RawMessage, reads []store.Lineage) {
	prompt := step.Consent.Prompt
	if prompt == "" {
		prompt = fmt.Sprintf("Approve step %q?", step.ID)
	}
	r.open(step.ID, &state.Ask{Kind: function.AskApproval, Prompt: prompt, OnDue: step.Consent.OnDue,
		Function: step.Function, Name: step.Name, Started: r.now(), Input: input, Reads: reads}, step.Consent.Due)
}

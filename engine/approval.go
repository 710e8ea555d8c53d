package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// approvalOptions say how the approval of a step is asked for. They stand as JSON text in
// the STEP property approval_options: {"prompt", "due", "on_due"}, where on_due is the
// approval given in a person's stead when nobody answers in time (without it the step
// fails with kind timeout).
type approvalOptions struct {
	Prompt string
	Due    time.Duration
	OnDue  json.RawMessage
}

func readApprovalOptions(property any) (o approvalOptions, err error) {
	if property == nil {
		return o, nil
	}
	text, ok := property.(string)
	if !ok {
		return o, errors.New("want the JSON text of an object")
	}
	var in struct {
		Prompt string          `json:"prompt"`
		Due    json.RawMessage `json:"due"`
		OnDue  json.RawMessage `json:"on_due"`
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return o, err
	}
	o.Prompt, o.OnDue = in.Prompt, in.OnDue
	due := string(in.Due)
	_ = json.Unmarshal(in.Due, &due) // a text; a number of seconds is read as it stands
	if o.Due, err = ParseDuration(due); err != nil {
		return o, fmt.Errorf("due: %w", err)
	}
	if len(o.OnDue) > 0 {
		if _, err := readApproval(o.OnDue); err != nil {
			return o, fmt.Errorf("on_due: %w", err)
		}
	}
	return o, nil
}

// askApproval asks whether a step may run with its resolved input.
func (r *runner) askApproval(step *compiledStep, input json.RawMessage, reads []Lineage) {
	prompt := step.consent.Prompt
	if prompt == "" {
		prompt = fmt.Sprintf("Approve step %q?", step.ID)
	}
	r.open(step.ID, &openAsk{Kind: AskApproval, Prompt: prompt, OnDue: step.consent.OnDue,
		Function: step.Function, Name: step.Name, Started: r.now(), Input: input, Reads: reads}, step.consent.Due)
}

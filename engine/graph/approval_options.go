package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
)

// ApprovalOptions say how the approval of a step is asked for. They are stored as JSON text in
// the STEP property approval_options: {"prompt", "due", "on_due"}, where on_due is the
// approval given in a person's stead when no answer comes in time (without it the step
// fails with kind timeout).
type ApprovalOptions struct {
	Prompt string
	Due    time.Duration
	OnDue  json.RawMessage
}

func readApprovalOptions(property any) (o ApprovalOptions, err error) {
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
	if o.Due, err = function.ParseDuration(due); err != nil {
		return o, fmt.Errorf("due: %w", err)
	}
	if len(o.OnDue) > 0 {
		if _, fault := ReadApproval(o.OnDue); fault != nil {
			return o, fmt.Errorf("on_due is not an approval: %s %s", fault.Pointer, fault.Message)
		}
	}
	return o, nil
}

// An Approval is what a person says to an approval question.
type Approval struct {
	Approved bool            `json:"approved"`
	Input    json.RawMessage `json:"input"`
	Reason   string          `json:"reason"`
}

// ReadApproval reads {approved, input?, reason?}, or a plain true or false. The fault says what
// does not fit.
func ReadApproval(response json.RawMessage) (Approval, *Fault) {
	var a Approval
	if yes, ok := TruthOf(response, nil); ok {
		a.Approved = yes
		return a, nil
	}
	var seen map[string]json.RawMessage
	fault := func(pointer, message string) *Fault {
		return &Fault{Pointer: "/response" + pointer, Message: message}
	}
	if json.Unmarshal(response, &seen) != nil {
		return a, fault("", "want {\"approved\": true or false, \"input\"?, \"reason\"?}, or true or false")
	}
	if _, ok := seen["approved"]; !ok {
		return a, fault("/approved", "is missing: want true or false")
	}
	if err := json.Unmarshal(response, &a); err != nil {
		return a, fault("", err.Error())
	}
	if len(a.Input) > 0 && string(a.Input) != "null" && a.Input[0] != '{' {
		return a, fault("/input", "want an object: the step's whole input")
	}
	if string(a.Input) == "null" {
		a.Input = nil
	}
	return a, nil
}

// TruthOf reads yes or no out of an answer; options are the texts for yes and no.
func TruthOf(response json.RawMessage, options []function.Option) (yes, ok bool) {
	switch string(bytes.TrimSpace(response)) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	var text string
	if json.Unmarshal(response, &text) != nil {
		return false, false
	}
	text = strings.TrimSpace(text)
	for i, o := range options {
		if strings.EqualFold(text, strings.TrimSpace(o.Text)) {
			return i == 0, i < 2
		}
	}
	switch strings.ToLower(text) {
	case "yes", "true", "y":
		return true, true
	case "no", "false", "n":
		return false, true
	}
	return false, false
}

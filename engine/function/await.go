package function

import (
	"bytes"
	"encoding/json"
	"time"
)

// Kinds of question.
const (
	AskQuestion = "question"
	AskConfirm  = "confirm"
	AskSelect   = "select"
	AskApproval = "approval"
	AskSignal   = "signal" // not a person's: the step waits for a signal of the prompt's name
)

// AwaitInput is the error value with which a function pauses its session for a person.
// It is not a failure: the step becomes awaiting_input, and the answer, once it fits
// Schema and Options, completes it. An error value, not a second return, so that a
// function that never asks need not know of questions.
type AwaitInput struct {
	Kind   string          // AskQuestion by default
	Prompt string          // what the person sees, at most 100 KB
	Schema json.RawMessage // JSON Schema the answer must fit; nil takes anything
	// Options are suggestions for a question, the only answers for a select, the texts
	// for yes and no (in that order) for a confirm.
	Options []Option
	// Entry is the output entry the question makes, a JSON object to which the answer
	// adds `response` and `waiting_for_input: false`; nil makes {prompt, options}.
	Entry json.RawMessage
	// Due, if set, is how long to wait; then OnDue is the answer given in the person's
	// stead, or, when nil, the step fails with kind timeout.
	Due   time.Duration
	OnDue json.RawMessage
	// Feedback allows the answer to a confirm to be {answer, feedback}: yes or no in one of its
	// forms, and a comment. The output then has, besides `confirmed`, the field `text`: the
	// feedback, or without one the text of the answer.
	Feedback bool
}

// An Option is one answer a person may choose.
type Option struct {
	Text  string          `json:"text"`
	Value json.RawMessage `json:"value,omitempty"` // what `value` of the output becomes; the text when absent
}

// Error makes AwaitInput an error; it shows the prompt.
func (a *AwaitInput) Error() string { return "awaiting input: " + a.Prompt }

// UnmarshalJSON reads an option given as a plain text or as {text, value}.
func (o *Option) UnmarshalJSON(b []byte) error {
	*o = Option{}
	if b = bytes.TrimSpace(b); len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &o.Text)
	}
	type plain Option
	return json.Unmarshal(b, (*plain)(o))
}

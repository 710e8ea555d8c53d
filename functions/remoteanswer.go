package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
)

// remoteAnswer is the response of a server of remote functions: one of output, error and
// await.
type remoteAnswer struct {
	Output     json.RawMessage `json:"output"`
	Error      json.RawMessage `json:"error"` // a text, or {message, kind}
	Transient  input.Bool      `json:"transient"`
	RetryAfter input.Duration  `json:"retry_after"`
	Await      *remoteAwait    `json:"await"`
	Say        string          `json:"say"`
}

type remoteAwait struct {
	Kind    string          `json:"kind"`
	Prompt  input.Text      `json:"prompt"`
	Schema  json.RawMessage `json:"schema"`
	Options json.RawMessage `json:"options"`
	Entry   json.RawMessage `json:"entry"`
	Due     input.Duration  `json:"due"`
	OnDue   json.RawMessage `json:"on_due"`
}

// read converts a response to an output or an error of the engine.
func (r remote) read(ctx context.Context, text []byte) (json.RawMessage, error) {
	var answer remoteAnswer
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, r.broken("%v", err)
	}
	switch {
	case present(answer.Error):
		kind, message := answer.failure()
		return nil, &function.CallError{Kind: kind, Message: message, Transient: bool(answer.Transient), RetryAfter: time.Duration(answer.RetryAfter)}
	case answer.Await != nil:
		ask, err := answer.Await.question()
		if err != nil {
			return nil, r.broken("await: %v", err)
		}
		return nil, ask
	case answer.Output == nil:
		return nil, r.broken("it has none of output, error and await")
	}
	if answer.Say != "" {
		function.CallOf(ctx).Say(answer.Say)
	}
	return answer.Output, nil
}

func (r remote) broken(format string, args ...any) error {
	return &function.CallError{Kind: "bad_response", Message: fmt.Sprintf("remote functions at %s: answer: %s", r.host, fmt.Sprintf(format, args...))}
}

// failure returns the kind (empty for the engine's default) and the message of the error.
func (a remoteAnswer) failure() (kind, message string) {
	var both struct{ Kind, Message string }
	if a.Error[0] == '{' && json.Unmarshal(a.Error, &both) == nil && both.Message != "" {
		return both.Kind, both.Message
	}
	return "", input.TextOf(a.Error)
}

func (a remoteAwait) question() (*function.AwaitInput, error) {
	ask := &function.AwaitInput{Kind: a.Kind, Prompt: string(a.Prompt), Due: time.Duration(a.Due)}
	switch a.Kind {
	case "":
		ask.Kind = function.AskQuestion
	case function.AskQuestion, function.AskConfirm, function.AskSelect, function.AskApproval:
	default:
		return nil, fmt.Errorf("kind %q is not one of question, confirm, select and approval", a.Kind)
	}
	var err error
	if present(a.Schema) {
		if ask.Schema, err = answerSchema(a.Schema); err != nil {
			return nil, err
		}
	}
	if present(a.Options) {
		if ask.Options, err = options("options", a.Options); err != nil {
			return nil, err
		}
	}
	if ask.Kind == function.AskSelect && len(ask.Options) == 0 {
		return nil, fmt.Errorf("a select needs options")
	}
	if present(a.Entry) {
		if _, err := input.Parse(a.Entry); err != nil {
			return nil, fmt.Errorf("entry: want an object")
		}
		ask.Entry = a.Entry
	}
	if present(a.OnDue) {
		ask.OnDue = a.OnDue
	}
	return ask, nil
}

// present reports whether a field is present and not null. The decoder has removed white space
// around the value.
func present(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

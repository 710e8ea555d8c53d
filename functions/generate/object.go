package generate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// checker returns the faults of a value; *schemacheck.Schema implements it.
type checker interface {
	Check(value []byte) []schemacheck.Fault
}

// object requests structured output and says it in the chat. It is not streamed, because part
// of an object is of no use.
func (a *Asking) object(ctx context.Context, say bool) (json.RawMessage, error) {
	object, _, err := a.Object(ctx, a.Request)
	if err != nil {
		return nil, err
	}
	text := a.ObjectText(object)
	a.Answered(ctx, text)
	if say {
		function.CallOf(ctx).Say(text)
	}
	return object, nil
}

// Object sends q for an object that fits the schema, and returns the number of tokens used. If
// the object does not fit, the request is repeated once with the faults, since models correct
// most of them; a second misfit is an error.
func (a *Asking) Object(ctx context.Context, q models.Request) (object json.RawMessage, tokens int, err error) {
	for try := 0; ; try++ {
		response, err := a.askObject(ctx, q)
		if err != nil {
			return nil, tokens, err
		}
		tokens += response.Usage.InputTokens + response.Usage.OutputTokens
		found := a.Faults(response)
		if found == "" {
			return response.Object, tokens, nil
		}
		if try > 0 || response.FinishReason == models.FinishLength {
			return nil, tokens, &function.CallError{Kind: function.KindOutputInvalid, Message: "the model's answer does not fit the schema: " + found}
		}
		q = repair(q, response, found)
	}
}

// Faults describes how a response differs from the schema, "" when it fits.
func (a *Asking) Faults(response models.Response) string {
	if response.Object == nil {
		if response.FinishReason == models.FinishLength {
			return "it was cut off because max_tokens was used up"
		}
		return "it is not JSON"
	}
	var lines []string
	for _, f := range a.Schema.Check(response.Object) {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "; ")
}

// repair returns a request that repeats q with the answer and its faults. It is a separate
// call with its own idempotency key.
func repair(q models.Request, response models.Response, found string) models.Request {
	if q.Key != "" {
		q.Key += "/repair"
	}
	q.Messages = append([]models.Message(nil), q.Messages...)
	answer := response.Text
	if answer == "" && response.Object != nil {
		answer = string(response.Object)
	}
	if answer != "" {
		q.Messages = append(q.Messages, models.Message{Role: models.RoleAssistant, Content: answer})
	}
	q.Messages = append(q.Messages, models.Message{Role: models.RoleUser,
		Content: "That answer does not fit the schema: " + found + ".\nAnswer again, with nothing but JSON that fits."})
	return q
}

// check validates a step when it is loaded: its schema must compile and its profile must
// exist.
func (f stepFunction) check(text json.RawMessage) []function.Problem {
	return f.checkWith(text, Special{})
}

func (f stepFunction) checkWith(text json.RawMessage, special Special) []function.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil // a reference may stand where a number is expected
	}
	in.Special = special
	var problems []function.Problem
	if in.Schema != nil && !strings.Contains(string(in.Schema), "@{") {
		if _, err := compile(in.Schema); err != nil {
			problems = append(problems, function.Problem{Level: "error", Code: "schema", Message: err.Error()})
		}
	}
	if _, err := in.form(); err != nil && !strings.Contains(string(in.SchemaBy)+string(in.TextAs), "@{") {
		problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: err.Error()})
	}
	if _, _, err := in.memory(); err != nil && !strings.Contains(string(in.Memory)+string(in.History), "@{") {
		problems = append(problems, function.Problem{Level: "error", Code: "memory", Message: err.Error()})
	}
	if in.Conversation != nil && !strings.Contains(string(in.Conversation), "@{") {
		if _, err := in.readConversation(); err != nil {
			problems = append(problems, function.Problem{Level: "error", Code: "conversation", Message: err.Error()})
		}
	}
	if name := in.ProfileName(); name != "" && !strings.Contains(name, "@{") {
		if _, err := f.profile(name); err != nil {
			problems = append(problems, function.Problem{Level: "warning", Code: "profile", Message: err.Error()})
		}
	}
	return problems
}

// Check validates the part of a step's input that is a question to a model, as generate does
// when its step is loaded.
func Check(o Options, text json.RawMessage, special Special) []function.Problem {
	return stepFunction{options: o}.checkWith(text, special)
}

package generate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/talk"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// checker tells where a value does not fit; *schemacheck.Schema is one.
type checker interface {
	Check(value []byte) []schemacheck.Fault
}

// object asks for an object that fits the schema. One that does not is asked for once more,
// with the faults shown, since models mend most of them; then it is an error. Nothing is
// shown as it comes: half an object helps nobody.
func (a *Asking) object(ctx context.Context, say bool) (json.RawMessage, error) {
	response, err := a.Ask(ctx, a.Request)
	if err != nil {
		return nil, err
	}
	found := a.Faults(response)
	if found != "" && response.FinishReason != models.FinishLength {
		response, err = a.Ask(ctx, a.Repair(response, found))
		if err != nil {
			return nil, err
		}
		found = a.Faults(response)
	}
	if found != "" {
		return nil, &engine.CallError{Kind: engine.KindOutputInvalid, Message: "the model's answer does not fit the schema: " + found}
	}
	text := input.ResponseText(response.Object)
	a.Answered(ctx, text)
	if say {
		talk.Of(ctx).Say(text)
	}
	return response.Object, nil
}

// Faults is what is wrong with an answer, "" when it fits.
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

// Repair is the request again, with the answer and what is wrong with it. It is another call
// with a key of its own.
func (a *Asking) Repair(response models.Response, found string) models.Request {
	again := a.Request
	if again.Key != "" {
		again.Key += "/repair"
	}
	again.Messages = append([]models.Message(nil), a.Request.Messages...)
	if response.Text != "" {
		again.Messages = append(again.Messages, models.Message{Role: models.RoleAssistant, Content: response.Text})
	}
	again.Messages = append(again.Messages, models.Message{Role: models.RoleUser,
		Content: "That answer does not fit the schema: " + found + ".\nAnswer again, with nothing but JSON that fits."})
	return again
}

// check looks at a step when it is loaded: its schema must compile and its profile be known.
func (f function) check(text json.RawMessage) []engine.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil // references may stand where numbers will
	}
	var problems []engine.Problem
	if in.Schema != nil && !strings.Contains(string(in.Schema), "@{") {
		if _, err := compile(in.Schema); err != nil {
			problems = append(problems, engine.Problem{Level: "error", Code: "schema", Message: err.Error()})
		}
	}
	if _, _, err := in.memory(); err != nil && !strings.Contains(string(in.Memory)+string(in.History), "@{") {
		problems = append(problems, engine.Problem{Level: "error", Code: "memory", Message: err.Error()})
	}
	if in.Conversation != nil && !strings.Contains(string(in.Conversation), "@{") {
		if _, err := in.readConversation(); err != nil {
			problems = append(problems, engine.Problem{Level: "error", Code: "conversation", Message: err.Error()})
		}
	}
	if name := in.profileName(); name != "" && !strings.Contains(name, "@{") {
		if _, err := f.profile(name); err != nil {
			problems = append(problems, engine.Problem{Level: "warning", Code: "profile", Message: err.Error()})
		}
	}
	return problems
}

// Check looks at the part of a step's input that is a question to a model, as generate does
// when its step is loaded.
func Check(o Options, text json.RawMessage) []engine.Problem { return function{o}.check(text) }

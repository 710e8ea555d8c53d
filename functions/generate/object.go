package generate

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
	"github.com/stepgraph/stepgraph/models"
)

// checker tells where a value does not fit; *schemacheck.Schema is one.
type checker interface {
	Check(value []byte) []schemacheck.Fault
}

// object asks for an object and says it. Nothing is shown as it comes: half an object helps
// nobody.
func (a *Asking) object(ctx context.Context, say bool) (json.RawMessage, error) {
	object, _, err := a.Object(ctx, a.Request)
	if err != nil {
		return nil, err
	}
	text := a.ObjectText(object)
	a.Answered(ctx, text)
	if say {
		engine.CallOf(ctx).Say(text)
	}
	return object, nil
}

// Object asks q for an object that fits the schema, and tells how many tokens that took. One
// that does not fit is asked for once more, with the faults shown, since models mend most of
// them; then it is an error.
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
			return nil, tokens, &engine.CallError{Kind: engine.KindOutputInvalid, Message: "the model's answer does not fit the schema: " + found}
		}
		q = repair(q, response, found)
	}
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

// repair is a request again, with the answer and what is wrong with it. It is another call
// with a key of its own.
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

// check looks at a step when it is loaded: its schema must compile and its profile be known.
func (f function) check(text json.RawMessage) []engine.Problem { return f.checkWith(text, Special{}) }

func (f function) checkWith(text json.RawMessage, special Special) []engine.Problem {
	in, _, err := input.Decode[Input](text)
	if err != nil {
		return nil // references may stand where numbers will
	}
	in.Special = special
	var problems []engine.Problem
	if in.Schema != nil && !strings.Contains(string(in.Schema), "@{") {
		if _, err := compile(in.Schema); err != nil {
			problems = append(problems, engine.Problem{Level: "error", Code: "schema", Message: err.Error()})
		}
	}
	if _, err := in.form(); err != nil && !strings.Contains(string(in.SchemaBy)+string(in.TextAs), "@{") {
		problems = append(problems, engine.Problem{Level: "error", Code: "bad_input", Message: err.Error()})
	}
	if _, _, err := in.memory(); err != nil && !strings.Contains(string(in.Memory)+string(in.History), "@{") {
		problems = append(problems, engine.Problem{Level: "error", Code: "memory", Message: err.Error()})
	}
	if in.Conversation != nil && !strings.Contains(string(in.Conversation), "@{") {
		if _, err := in.readConversation(); err != nil {
			problems = append(problems, engine.Problem{Level: "error", Code: "conversation", Message: err.Error()})
		}
	}
	if name := in.ProfileName(); name != "" && !strings.Contains(name, "@{") {
		if _, err := f.profile(name); err != nil {
			problems = append(problems, engine.Problem{Level: "warning", Code: "profile", Message: err.Error()})
		}
	}
	return problems
}

// Check looks at the part of a step's input that is a question to a model, as generate does
// when its step is loaded.
func Check(o Options, text json.RawMessage, special Special) []engine.Problem {
	return function{options: o}.checkWith(text, special)
}

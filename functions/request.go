package functions

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/internal/schemacheck"
)

// RequestInput is the input of utils.request.request.
type RequestInput struct {
	Question
	Options json.RawMessage `json:"options,omitempty" jsonschema:"suggestions, each a text or {text, value}; any other answer is taken too"`
	Schema  json.RawMessage `json:"schema,omitempty" jsonschema:"JSON Schema that the answer must fit"`
}

// Question holds the input fields that all questions share.
type Question struct {
	Prompt  input.Text      `json:"prompt,omitempty" jsonschema:"the question"`
	Message input.Text      `json:"message,omitempty" jsonschema:"used when there is no prompt"`
	Due     input.Duration  `json:"due,omitempty" jsonschema:"how long to wait, in seconds or as a text such as 30m or 2d; forever when absent"`
	OnDue   json.RawMessage `json:"on_due,omitempty" jsonschema:"the answer that counts when the time is up; without it the step fails with the error kind timeout"`
}

// Request asks a person for input. It always pauses the session by returning an
// *engine.AwaitInput. The answer completes the output entry prepared here: all fields of the
// input in their order. Asking has no effect outside the session, so a repeated call is
// harmless.
func Request(_ context.Context, entry input.Object) (json.RawMessage, error) {
	in, err := input.Bind[RequestInput](entry)
	if err != nil {
		return nil, err
	}
	ask, entry, err := question(entry, function.AskQuestion)
	if err != nil {
		return nil, err
	}
	if ask.Options, err = options("options", in.Options); err != nil {
		return nil, err
	}
	if ask.Schema, err = answerSchema(in.Schema); err != nil {
		return nil, err
	}
	ask.Entry = entry.Encode()
	return nil, ask
}

// question reads the shared fields of a question and returns the output entry without the
// fields that only an answer may set.
func question(entry input.Object, kind string) (*function.AwaitInput, input.Object, error) {
	in, err := input.Bind[Question](entry)
	if err != nil {
		return nil, nil, err
	}
	ask := &function.AwaitInput{Kind: kind, Prompt: string(in.Prompt), Due: time.Duration(in.Due), OnDue: in.OnDue}
	entry = entry.Without("response", "waiting_for_input")
	if ask.Prompt == "" && in.Message != "" {
		ask.Prompt = string(in.Message)
		entry = entry.With("prompt", input.Encode(ask.Prompt))
	}
	switch {
	case entry.Get("due") != nil && ask.Due == 0:
		return nil, nil, input.Bad("due: a question cannot be due at once; leave due out to wait for ever")
	case in.OnDue != nil && ask.Due == 0:
		return nil, nil, input.Bad("on_due: needs due, the time after which it is the answer")
	}
	return ask, entry, nil
}

// answerSchema reads a schema, given as an object or as its text, and refuses one that does
// not compile.
func answerSchema(given json.RawMessage) (json.RawMessage, error) {
	if given == nil {
		return nil, nil
	}
	if given[0] == '"' {
		given = json.RawMessage(input.TextOf(given))
	}
	if _, err := schemacheck.Compile(given); err != nil {
		return nil, input.Bad("%v", err)
	}
	return given, nil
}

// checkQuestion reports an invalid schema or invalid options.
func checkQuestion(text json.RawMessage) (problems []function.Problem) {
	given, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	for _, name := range []string{"options", "choices"} {
		if list := given.Get(name); list != nil && !refers(list) {
			if _, err := options(name, list); err != nil {
				problems = append(problems, function.Problem{Level: "error", Code: "bad_input", Message: err.Error()})
			}
		}
	}
	if schema := given.Get("schema"); schema != nil && !refers(schema) {
		if _, err := answerSchema(schema); err != nil {
			problems = append(problems, function.Problem{Level: "error", Code: "question_schema", Message: err.Error()})
		}
	}
	return problems
}

func requestSpec() function.Spec {
	return function.Spec{
		Name:        "utils.request.request",
		Aliases:     []string{"request", "utils.request"},
		Description: "Asks a person for input and waits for the answer.",
		Check:       input.Check[RequestInput](checkQuestion, tried(Request)),
		Needs:       function.Needs{Own: true, OneOf: []string{"prompt", "message", "options", "schema"}, Follows: true},
		Input:       input.Schema[RequestInput](),
		Output:      input.Schema[RequestOutput](),
		Function:    function.ObjectFunc(Request),
	}
}

// RequestOutput describes the output after the question was answered, in addition to the
// fields of the input.
type RequestOutput struct {
	Prompt   string          `json:"prompt,omitempty" jsonschema:"what the person was asked"`
	Response json.RawMessage `json:"response,omitempty" jsonschema:"the answer as given"`
	Waiting  bool            `json:"waiting_for_input,omitempty" jsonschema:"false once it has been answered"`
}

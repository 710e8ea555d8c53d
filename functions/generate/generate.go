package generate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/models"
)

// limit is the number of concurrent model calls in one engine.
const limit = 8

// Retry is the default retry policy of a model call that failed with a transient error (a rate
// limit, a server error, a broken connection): three attempts, 1 s and 2 s apart, or as long
// as the provider asks for.
var Retry = function.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Second, Backoff: 2, MaxInterval: time.Minute, Jitter: 0.1}

// Models finds the model for a step; *models.Catalog implements it.
type Models interface {
	// Model returns the model for a step that asks for name, which may be empty, and the model
	// id for the request.
	Model(name string) (models.Model, string, error)
	// Endpoint returns the model at an address given in a workflow.
	Endpoint(at models.Endpoint) (models.Model, error)
}

// Options configure generate. Without Models the function is off; all other fields are
// optional.
type Options struct {
	Models   Models
	Profiles func() map[string]Profile         // by the name that steps give as profile or agent
	Schemas  func() map[string]json.RawMessage // by the name that steps give as schema_name
	// Getenv returns the value of $NAME in an api_key for an address, and whether workflows
	// may use it there.
	Getenv func(name string, to *url.URL) (string, bool)
	Log    *slog.Logger // responses of models, at debug level; nil: none
}

// Input is the input of utils.generate.generate: flat JSON, in groups.
type Input struct {
	PromptInput       `group:"prompt"`
	ModelInput        `group:"model"`
	SamplingInput     `group:"sampling"`
	ConversationInput `group:"conversation"`
	AnswerInput       `group:"answer"`

	Special `json:"-"`

	aside bool // set by Aside
}

// PromptInput is the text and the images that a step sends.
type PromptInput struct {
	User     input.Text      `json:"user,omitempty" jsonschema:"the message to the model; optional if there are messages or a chat"`
	System   input.Text      `json:"system,omitempty" jsonschema:"the system text: how the model should answer; the profile's when absent"`
	Messages json.RawMessage `json:"messages,omitempty" takes:"list" jsonschema:"a list of {role, content, name, images} before user; roles are system, developer, user and assistant; {role: history} is the position of the chat, which otherwise comes first"`
	Images   json.RawMessage `json:"images,omitempty" takes:"object list" jsonschema:"a list of addresses, data: addresses, {url} or {data, media_type}, shown with user"`
}

// ModelInput selects the model and the server.
type ModelInput struct {
	Model   input.Text `json:"model,omitempty" jsonschema:"a model, or provider/model; the operator decides which provider answers; the profile's or the configured one when absent"`
	Profile input.Text `json:"profile,omitempty" jsonschema:"a configured profile: defaults for the fields that the step does not give; none when absent"`
	Agent   input.Text `json:"agent,omitempty" jsonschema:"another name of profile"`
	BaseURL input.Text `json:"base_url,omitempty" jsonschema:"an OpenAI-compatible server that this workflow uses; the configured provider when absent"`
	APIKey  input.Text `json:"api_key,omitempty" jsonschema:"the key for base_url, as $NAME of a secret that the operator allows for that host; none when absent"`
}

// SamplingInput holds the parameters of the request.
type SamplingInput struct {
	Temperature     *input.Float    `json:"temperature,omitempty" jsonschema:"sampling temperature; the provider's own when absent"`
	TopP            *input.Float    `json:"top_p,omitempty" jsonschema:"nucleus sampling; the provider's own when absent"`
	MaxTokens       input.Int       `json:"max_tokens,omitempty" jsonschema:"maximum length of the answer in tokens; the provider's own when absent"`
	Seed            *input.Int      `json:"seed,omitempty" jsonschema:"for repeatable answers, where the provider supports it; none when absent"`
	Stop            json.RawMessage `json:"stop,omitempty" takes:"list" jsonschema:"a text, or a list of texts, that ends the answer; none when absent"`
	ReasoningEffort input.Text      `json:"reasoning_effort,omitempty" jsonschema:"passed to the provider as it is, such as low; the provider's own when absent"`
	Reasoning       json.RawMessage `json:"reasoning,omitempty" takes:"object" jsonschema:"{effort, max_tokens}: effort is reasoning_effort; max_tokens limits the tokens of reasoning, where the provider supports it"`
	Parameters      json.RawMessage `json:"parameters,omitempty" takes:"object" jsonschema:"an object of further parameters of the provider; none when absent"`
}

// ConversationInput selects the messages of the session's chat that are sent.
type ConversationInput struct {
	Memory         input.Text      `json:"memory,omitempty" jsonschema:"which messages of the session's chat are sent: window (the newest, or as many as history says), all, summary or none; as history says when absent"`
	MemoryTokens   input.Int       `json:"memory_tokens,omitempty" jsonschema:"with memory summary: the newest messages up to this many tokens are not summarised; none when absent"`
	History        json.RawMessage `json:"history,omitempty" jsonschema:"how many messages of the chat are sent: a number, or all; none when absent"`
	IncludeHistory input.Bool      `json:"include_history,omitempty" jsonschema:"true is the same as memory window; false when absent"`
}

// AnswerInput selects the form of the answer and where it is shown.
type AnswerInput struct {
	Schema           json.RawMessage `json:"schema,omitempty" jsonschema:"JSON Schema: the model answers with an object that fits it, which is the output"`
	SchemaName       input.Text      `json:"schema_name,omitempty" jsonschema:"the name of the schema; without schema, the name of a configured one"`
	Stream           *input.Bool     `json:"stream,omitempty" jsonschema:"false: the answer is requested as a whole and not shown while it is generated; true when absent"`
	DirectlySetReply input.Bool      `json:"directly_set_reply,omitempty" jsonschema:"true also adds the answer to the chat; false when absent"`
}

// Aside returns the input for a step that asks about the question of its conversation instead
// of answering it: the question is stored in the conversation but not sent itself.
func (in Input) Aside() Input {
	in.aside = true
	return in
}

// Output is the output for an answer without a schema; with a schema, the output is the object
// itself.
type Output struct {
	Response string `json:"response" jsonschema:"the answer"`
	Message  string `json:"message,omitempty" jsonschema:"the same, with directly_set_reply"`
	Content  string `json:"content,omitempty" jsonschema:"the same, with directly_set_reply"`
	// Reasoning is returned by some providers only.
	Reasoning string `json:"reasoning,omitempty" jsonschema:"the model's reasoning, as far as the provider returns it"`
}

// Spec describes utils.generate.generate. A call repeated after a crash is sent with the same
// idempotency key, so that a provider or proxy that supports it gives the same answer.
// Messages to the chat are part of the checkpoint with the output, so they are said once.
func Spec(o Options) function.Spec {
	f := stepFunction{options: o}
	spec := function.Spec{
		Name:        "utils.generate.generate",
		Aliases:     []string{"generate", "utils.generate"},
		Description: "Calls a model for a text, or for an object that fits a schema.",
		Effects:     true,
		Secrets:     []string{"api_key"},
		Limit:       limit,
		Retry:       Retry,
		Check:       input.Check[Input](f.check),
		Needs:       function.Needs{OneOf: []string{"user", "messages"}},
		Input:       input.Schema[Input](),
		Output:      input.Schema[Output](),
		Examples: []function.Example{
			{Title: "A text, with the chat before it", Input: json.RawMessage(`{"system": "Be brief.", "user": "@{SESSION_ID}.ask.response", "memory": "window"}`)},
			{Title: "An object that fits a schema", Input: json.RawMessage(`{"user": "Which city is the largest?", "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}`)},
			{Title: "What is in a picture", Input: json.RawMessage(`{"user": "What is this?", "images": ["@{SESSION_ID}.initial[0].picture"], "reasoning": {"effort": "low"}}`)},
		},
		Function: function.ObjectFunc(f.call),
	}
	spec.Output.Required = nil // with a schema, the schema describes the output
	if o.Models == nil {
		spec.Disabled = "no model is configured, start with --model"
	}
	return spec
}

type stepFunction struct{ options Options }

func (f stepFunction) call(ctx context.Context, fields input.Object) (json.RawMessage, error) {
	return f.callWith(ctx, fields, Special{})
}

func (f stepFunction) callWith(ctx context.Context, fields input.Object, special Special) (json.RawMessage, error) {
	in, err := input.Bind[Input](fields)
	if err != nil {
		return nil, err
	}
	in.Special = special
	a, err := f.prepare(ctx, in, nil)
	if err != nil {
		return nil, err
	}
	if a.Schema != nil {
		return a.object(ctx, bool(in.DirectlySetReply))
	}
	return a.text(ctx, bool(in.DirectlySetReply))
}

// An Asking is one step's question to a model, ready to be sent. The schema is not part of
// Request; Object adds it.
type Asking struct {
	Model   models.Model
	Request models.Request
	Schema  checker  // nil: the answer is text
	Tools   []string // the tools that the profile allows an agent; all when empty
	// Past is the part of the chat that was sent, nil for none. Summarised reports that a
	// model call was made to summarise it.
	Past       *Past
	Summarised bool
	// Conversation is the conversation that the question belongs to, nil for none.
	Conversation *Conversation

	form  form
	log   *slog.Logger
	whole bool // the answer is not streamed
}

// Token returns the function that receives the answer as it is streamed, nil for none: it
// shows the text to the person if said is set, else to observers of the session.
func (a *Asking) Token(ctx context.Context, said bool) func(string) {
	switch {
	case a.whole:
		return nil
	case said:
		return function.CallOf(ctx).Speak
	}
	return function.CallOf(ctx).Token
}

// text requests a text and streams it.
func (a *Asking) text(ctx context.Context, say bool) (json.RawMessage, error) {
	a.Request.Token = a.Token(ctx, say)
	response, err := a.Ask(ctx, a.Request)
	if err != nil {
		return nil, err
	}
	a.Answered(ctx, response.Text)
	out := Output{Response: response.Text, Reasoning: response.Reasoning}
	if say {
		out.Message, out.Content = response.Text, response.Text
		function.CallOf(ctx).Say(response.Text)
	}
	return input.Encode(out), nil
}

// Ask makes one call and records its usage.
func (a *Asking) Ask(ctx context.Context, request models.Request) (models.Response, error) {
	response, err := a.Model.Generate(ctx, request)
	if err != nil {
		return response, failure(err)
	}
	model := response.Model
	if model == "" {
		model = request.Model
	}
	u := response.Usage
	function.CallOf(ctx).Meter(function.Usage{
		Model: model, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.CachedTokens,
		Estimated: u.Estimated, Cost: u.Cost,
	})
	if a.log != nil {
		a.log.DebugContext(ctx, "model answered", "step", request.Step, "model", model, "text", response.Text, "tool_calls", len(response.ToolCalls),
			"input_tokens", u.InputTokens, "output_tokens", u.OutputTokens)
	}
	return response, nil
}

// failure converts an error of a model to an error of the engine.
func failure(err error) error {
	var e *models.Error
	if !errors.As(err, &e) {
		return err
	}
	return &function.CallError{Kind: e.Kind, Message: err.Error(), Transient: e.Transient(), RetryAfter: e.RetryAfter, Err: err}
}

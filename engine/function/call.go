package function

import (
	"context"
	"encoding/json"
)

// A Call is the information about the step that called a function, and the means to report more
// than an output to the engine. CallOf returns it. Its methods are safe for concurrent use until
// the function has returned.
type Call struct {
	Session  string
	Workflow string
	Step     string
	Function string // the name the step used, which tells aliases and remote functions apart
	Visit    int
	Attempt  int
	// Key is the same for every attempt of one call: session/step/visit/call. It is sent as
	// Idempotency-Key in requests.
	Key string
	// OnError is the step's on_error: what its function does about failures of what it runs
	// may depend on it.
	OnError string
	// Bindings holds the values of references in program text by identifier, as one JSON
	// object (see Spec.Program).
	Bindings json.RawMessage
	// Secrets are the names of secrets that are written in the stored step (see Spec.Secrets);
	// nil if there are none.
	Secrets *SecretNames
	// Number counts the calls of this visit from 1: a function that handed control to the
	// engine (see RunBody) is called again with the next number.
	Number int
	// Body is the result of the body or the child sessions that the previous call requested.
	Body *BodyOutcome
	// Transcript holds the rounds of an agent that have passed, oldest first.
	Transcript []TranscriptEntry
	// Tools are the calling step's TOOL paths, in path order.
	Tools []ToolInfo

	// Sink takes what the function says, shows, sets and meters; nil drops it. The engine sets
	// it; a function's own test sets a Recorder.
	Sink Sink
}

// A Usage is what a model call used. Counts are tokens; Cost is in US dollars, 0 unknown.
type Usage struct {
	Model        string  `json:"model,omitempty"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CachedTokens int     `json:"cached_tokens,omitempty"`
	Estimated    bool    `json:"estimated,omitempty"`
	Cost         float64 `json:"cost_usd,omitempty"`
}

// Audiences of a token: the person whom the session talks to, and those who watch how it
// works (tools, departments, model calls that do not reply).
const (
	AudiencePerson   = "person"
	AudienceInternal = "internal"
)

// A Sink takes the side information of one call. The engine has one for each attempt; see
// Recorder for tests.
type Sink interface {
	Say(role, text string)
	Token(audience, text string)
	Meter(Usage)
	Set(name string, value json.RawMessage)
	Append(name string, first, values []json.RawMessage)
	Messages(ctx context.Context, n int) ([]Message, error)
}

// Say puts a message of the assistant into the session's chat, in the checkpoint that
// holds this call's output; nothing is said when the call fails.
func (c *Call) Say(text string) {
	if c.Sink != nil {
		c.Sink.Say("assistant", text)
	}
}

// Hear puts a message of a person into the chat, as Say does one of the assistant: what the
// session was started with, such as the first words of a caller. Answers are there already.
func (c *Call) Hear(text string) {
	if c.Sink != nil {
		c.Sink.Say("user", text)
	}
}

// Token sends a fragment of text to observers of the session, immediately and marked as
// provisional: the call may still fail and be repeated. Its audience is internal, and a client
// that shows a conversation omits it. Use Speak for text for the person.
func (c *Call) Token(text string) {
	if c.Sink != nil {
		c.Sink.Token(AudienceInternal, text)
	}
}

// Speak sends a fragment of the text that the call will pass to Say, immediately and marked as
// provisional. Its audience is the person, who may hear it before the call has ended. A fragment
// that must be checked first has to be withheld until then.
func (c *Call) Speak(text string) {
	if c.Sink != nil {
		c.Sink.Token(AudiencePerson, text)
	}
}

// Meter adds to what this visit used; it is kept with the EXECUTION.
func (c *Call) Meter(u Usage) {
	if c.Sink != nil {
		c.Sink.Meter(u)
	}
}

// Set keeps a value as an output of the name, as if a step of that name had put it out,
// in the checkpoint that holds this call's output: references read @{SESSION_ID}.name.
// Nothing is set when the call fails. A name that is a step of the workflow is refused as
// an error of the step.
func (c *Call) Set(name string, value json.RawMessage) {
	if c.Sink != nil {
		c.Sink.Set(name, value)
	}
}

// Append adds values to the list with a name (see Set), in the checkpoint of this call's output.
// If the list is empty or missing then, first is put before them. Parallel steps that append do
// not overwrite each other, as they would with Set.
func (c *Call) Append(name string, first, values []json.RawMessage) {
	if c.Sink != nil {
		c.Sink.Append(name, first, values)
	}
}

// Messages returns the session's chat, oldest first: the newest n, all for n < 0, the
// window kept in the state for n == 0.
func (c *Call) Messages(ctx context.Context, n int) ([]Message, error) {
	if c.Sink == nil {
		return nil, nil
	}
	return c.Sink.Messages(ctx, n)
}

type callKey struct{}

// CallOf returns the call a function runs in. Outside an engine (in a function's own
// test) it returns an empty Call, whose methods do nothing.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// WithCall returns a context in which CallOf gives c. The engine uses it, and so do tests
// of functions.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

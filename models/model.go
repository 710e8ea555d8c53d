package models

import (
	"context"
	"encoding/json"
)

// Model is one provider of chat completions. It is safe for concurrent use.
type Model interface {
	// Generate calls the model once. An error is an *Error; a cancelled context is also found
	// by errors.Is(err, context.Canceled).
	Generate(ctx context.Context, req Request) (Response, error)
}

// Func makes a Model of a function, for tests and wrappers.
type Func func(ctx context.Context, req Request) (Response, error)

// Generate calls f.
func (f Func) Generate(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// A Request is one call of a model. The zero value of a field leaves the choice
// to the provider.
type Request struct {
	// Step is the id of the calling step. The script provider selects its replies by it, and
	// recordings are grouped by it.
	Step string
	// Key is the idempotency key of the call, the same on every attempt. HTTP providers send
	// it as the header Idempotency-Key.
	Key string

	Model    string // model id as the provider knows it
	Messages []Message

	Temperature     *float64
	TopP            *float64
	MaxTokens       int // upper bound of tokens in the answer; 0 is the provider's own
	Seed            *int64
	Stop            []string
	ReasoningEffort string // such as "low"; passed on as it is
	// ReasoningTokens is the maximal number of tokens that the model may think before it
	// answers, for providers with such a limit; others use ReasoningEffort.
	ReasoningTokens int

	// Schema is the JSON Schema of the wanted structured output; nil asks for
	// text. SchemaName names it on the wire ("output" if empty).
	Schema     json.RawMessage
	SchemaName string

	Tools      []Tool
	ToolChoice string // "auto", "none", "required" or the name of one tool

	// Token, if not nil, is called for each fragment of text in order, from the
	// goroutine of Generate and never after it has returned. What it saw is
	// provisional: only the Response counts.
	Token func(text string)

	// Extra holds further parameters by the names of the provider's API. A parameter that has
	// a field above is refused.
	Extra map[string]json.RawMessage
}

// LastUser returns the text of the newest user message, or "".
func (r Request) LastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == RoleUser {
			return r.Messages[i].Content
		}
	}
	return ""
}

// A Response is what a model answered.
type Response struct {
	// Text is the answer as written. It is empty when the model only calls tools.
	Text string
	// Object is the structured output: Text as compact JSON, when a Schema was
	// given and Text is JSON. It has not been validated against the schema.
	Object json.RawMessage
	// ToolCalls are the calls the model asks for, in its order.
	ToolCalls []ToolCall
	// Reasoning is the model's thinking, if the provider returns it.
	Reasoning string
	// Thinking is opaque data that the provider requires unchanged in the message whose
	// ToolCalls are being answered. Only the provider that wrote it can read it.
	Thinking json.RawMessage

	Model        string // the model id that answered, which may be more precise than the one asked for
	FinishReason string // one of the Finish constants, or the provider's own word
	Usage        Usage
}

// Reasons why a model stopped writing.
const (
	FinishStop      = "stop"       // it was done
	FinishLength    = "length"     // MaxTokens or the context window was used up; the text is cut
	FinishToolCalls = "tool_calls" // it waits for the results of tools
)

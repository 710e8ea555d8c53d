package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
)

// What an author of step functions uses is in package function. The names stay here too, so that a
// program that only embeds the engine imports one package.
type (
	AwaitInput      = function.AwaitInput
	BodyOutcome     = function.BodyOutcome
	BodyResult      = function.BodyResult
	Call            = function.Call
	CallError       = function.CallError
	Credential      = function.Credential
	CallTools       = function.CallTools
	ChildSession    = function.ChildSession
	Example         = function.Example
	Needs           = function.Needs
	Object          = function.Object
	ObjectFunc      = function.ObjectFunc
	Function        = function.Function
	FunctionFunc    = function.FunctionFunc
	Message         = function.Message
	Option          = function.Option
	Problem         = function.Problem
	Registry        = function.Registry
	RetryPolicy     = function.RetryPolicy
	RunBody         = function.RunBody
	RunSessions     = function.RunSessions
	SecretNames     = function.SecretNames
	SessionError    = function.SessionError
	Spec            = function.Spec
	ToolCall        = function.ToolCall
	ToolInfo        = function.ToolInfo
	ToolResult      = function.ToolResult
	TranscriptEntry = function.TranscriptEntry
	Usage           = function.Usage
	Wait            = function.Wait
)

// Constants of package function.
const (
	AskApproval       = function.AskApproval
	AskConfirm        = function.AskConfirm
	AskQuestion       = function.AskQuestion
	AskSelect         = function.AskSelect
	AskSignal         = function.AskSignal
	AudienceInternal  = function.AudienceInternal
	AudiencePerson    = function.AudiencePerson
	KindBadInput      = function.KindBadInput
	KindBadReference  = function.KindBadReference
	KindCancelled     = function.KindCancelled
	KindDisabled      = function.KindDisabled
	KindFailed        = function.KindFailed
	KindLimit         = function.KindLimit
	KindLost          = function.KindLost
	KindNoFunction    = function.KindNoFunction
	KindOutputInvalid = function.KindOutputInvalid
	KindPoison        = function.KindPoison
	KindRejected      = function.KindRejected
	KindState         = function.KindState
	KindStepGone      = function.KindStepGone
	KindStepNotFound  = function.KindStepNotFound
	KindTimeout       = function.KindTimeout
	KindTooLarge      = function.KindTooLarge
	KindUnknownTool   = function.KindUnknownTool
)

// CallOf is function.CallOf.
func CallOf(ctx context.Context) *Call {
	return function.CallOf(ctx)
}

// ReplaceCredentials is function.ReplaceCredentials.
func ReplaceCredentials(spec *Spec, input json.RawMessage, replace func(Credential) string) json.RawMessage {
	return function.ReplaceCredentials(spec, input, replace)
}

// NewRegistry is function.NewRegistry.
func NewRegistry() *Registry {
	return function.NewRegistry()
}

// ParseDuration is function.ParseDuration.
func ParseDuration(text string) (time.Duration, error) {
	return function.ParseDuration(text)
}

// Register is function.Register.
func Register[In any, Out any](r *Registry, name string, f func(context.Context, In) (Out, error), configure ...func(*Spec)) {
	function.Register(r, name, f, configure...)
}

package engine

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/function"
)

// What an author of step functions uses is in package function. These are the names of it that a
// program uses that registers functions, asks people and reads sessions.
type (
	AwaitInput   = function.AwaitInput
	Message      = function.Message
	Option       = function.Option
	Problem      = function.Problem
	Registry     = function.Registry
	SessionError = function.SessionError
	Spec         = function.Spec
)

// Constants of package function.
const (
	AskApproval = function.AskApproval
	AskConfirm  = function.AskConfirm
	AskQuestion = function.AskQuestion
	AskSelect   = function.AskSelect
	AskSignal   = function.AskSignal
)

// CallOf is function.CallOf.
func CallOf(ctx context.Context) *function.Call {
	return function.CallOf(ctx)
}

// NewRegistry is function.NewRegistry.
func NewRegistry() *Registry {
	return function.NewRegistry()
}

// Register is function.Register.
func Register[In any, Out any](r *Registry, name string, f func(context.Context, In) (Out, error), configure ...func(*Spec)) {
	function.Register(r, name, f, configure...)
}

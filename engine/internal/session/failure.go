package session

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A failure says why an attempt did not succeed.
type failure struct {
	kind    string
	message string
	final   bool // never retried, whatever the retry policy says
	atLeast time.Duration
	retried bool // another attempt follows
	info    visitInfo
	output  json.RawMessage // what the call returned besides the error, for the history
}

func (f failure) json() json.RawMessage {
	fields := map[string]any{"kind": f.kind, "message": f.message, "transient": !f.final}
	if f.retried {
		fields["retried"] = true
	}
	b, _ := jsontext.Marshal(fields)
	return b
}

// callFailure converts the error of a call.
func callFailure(err error) failure {
	f := failure{kind: function.KindOf(err), message: err.Error(), final: !function.IsTransient(err)}
	var call *function.CallError
	if errors.As(err, &call) {
		f.atLeast = call.RetryAfter
	}
	return f
}

// problemOf returns a failure in the form that stored results use.
func problemOf(step string, f failure) *function.SessionError {
	return &function.SessionError{Step: step, Kind: f.kind, Message: f.message}
}

// referenceKind returns the failure kind for an error in resolving a reference.
func referenceKind(err error) string {
	var large *references.TooLargeError
	if errors.As(err, &large) {
		return function.KindTooLarge
	}
	return function.KindBadReference
}

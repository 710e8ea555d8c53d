package session

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/internal/jsontext"
	"github.com/stepgraph/stepgraph/references"
)

// A failure is why an attempt did not succeed.
type failure struct {
	kind    string
	message string
	final   bool // not to be tried again, whatever the policy says
	atLeast time.Duration
	retried bool // another attempt is made
	info    visitInfo
	output  json.RawMessage // what the call came to all the same, for the history
}

func (f failure) json() json.RawMessage {
	fields := map[string]any{"kind": f.kind, "message": f.message, "transient": !f.final}
	if f.retried {
		fields["retried"] = true
	}
	b, _ := jsontext.Marshal(fields)
	return b
}

// callFailure reads what a call's error says.
func callFailure(err error) failure {
	f := failure{kind: function.KindOf(err), message: err.Error(), final: !function.IsTransient(err)}
	var call *function.CallError
	if errors.As(err, &call) {
		f.atLeast = call.RetryAfter
	}
	return f
}

// problemOf is a failure as results carry it.
func problemOf(step string, f failure) *function.SessionError {
	return &function.SessionError{Step: step, Kind: f.kind, Message: f.message}
}

// referenceKind is the kind of a failure to resolve.
func referenceKind(err error) string {
	var large *references.TooLargeError
	if errors.As(err, &large) {
		return function.KindTooLarge
	}
	return function.KindBadReference
}

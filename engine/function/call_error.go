package function

import (
	"context"
	"errors"
	"net"
	"time"
)

// Kinds of a step's error, as stored in EXECUTION.error and shown in the session.
const (
	KindNoFunction    = "no_function"
	KindBadInput      = "bad_input"
	KindBadReference  = "bad_reference"
	KindFailed        = "failed"
	KindTimeout       = "timeout"
	KindCancelled     = "cancelled"
	KindLost          = "lost"
	KindLimit         = "limit"
	KindPoison        = "poison"
	KindStepGone      = "step_gone"
	KindStepNotFound  = "step_not_found"
	KindTooLarge      = "too_large"
	KindOutputInvalid = "output_invalid"
	KindDisabled      = "disabled"
	KindRejected      = "rejected"
	KindUnknownTool   = "unknown_tool"
	KindState         = "state_unreadable"
)

// A CallError is a failed call with what the engine must know of it. Functions return it
// (or any error with a method Transient() bool); a plain error is a refusal: not retried.
type CallError struct {
	Kind    string // one of the kinds above or the function's own word; "failed" when empty
	Message string
	// Transient failures (timeouts, 429, 5xx, no connection) are retried as the step's
	// policy says; others never.
	Transient  bool
	RetryAfter time.Duration // the least wait the other side asked for
	Err        error
}

func (e *CallError) Error() string {
	if e.Message == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

func (e *CallError) Unwrap() error { return e.Err }

// IsTransient reports whether an attempt that failed with err may be repeated: err is or wraps a
// CallError or another error that says so, a timeout, or a broken connection.
func IsTransient(err error) bool {
	var call *CallError
	if errors.As(err, &call) {
		return call.Transient
	}
	var says interface{ Transient() bool }
	if errors.As(err, &says) {
		return says.Transient()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var network net.Error
	return errors.As(err, &network)
}

// KindOf returns the kind of a failed call for the history.
func KindOf(err error) string {
	var call *CallError
	if errors.As(err, &call) && call.Kind != "" {
		return call.Kind
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return KindTimeout
	case errors.Is(err, context.Canceled):
		return KindCancelled
	}
	return KindFailed
}

// A SessionError is what the API shows as a session's error.
type SessionError struct {
	Step    string `json:"step,omitempty"`
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

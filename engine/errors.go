package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// What callers decide on. The api package answers each with one problem type.
var (
	ErrSessionNotFound  = errors.New("session not found")
	ErrWorkflowNotFound = errors.New("workflow not found")
	ErrStepNotFound     = errors.New("step not found")
	ErrPathNotFound     = errors.New("path not found")
	ErrBatchNotFound    = errors.New("batch not found")
	ErrNoEntry          = errors.New("no entry step")
	ErrNoOpenQuestion   = errors.New("no open question")
	ErrAlreadyAnswered  = errors.New("already answered")
	ErrKeyReused        = errors.New("key reused with another body")
	ErrAnswerInvalid    = errors.New("answer does not fit the question")
	ErrSessionExists    = errors.New("session exists")
	ErrSessionBusy      = errors.New("session is busy")
	ErrSessionEnded     = errors.New("session has ended")
	ErrSignalsFull      = errors.New("too many unheard signals")
	ErrVersionMismatch  = errors.New("version mismatch")
	ErrTooLarge         = errors.New("too large")
	ErrBadRequest       = errors.New("bad request")
	ErrOverloaded       = errors.New("overloaded")

	// ErrLeaseLost: another worker holds the session, or it changed under us.
	ErrLeaseLost = errors.New("lease lost")
	// ErrUnavailable: the store cannot be reached; the same call may be made again.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnknownOutcome: a write was sent and its answer lost. Sending the same rows
	// again settles it.
	ErrUnknownOutcome = errors.New("outcome of the write unknown")
	// ErrNotOnThisStore: the store has no such ability (graph queries on the embedded one).
	ErrNotOnThisStore = errors.New("not on this store")
)

// A Fault is one place where an answer, a body or a property is wrong.
type Fault struct {
	Pointer string `json:"pointer"` // RFC 6901, "" for the whole
	Message string `json:"message"`
}

// A DetailError is a sentinel with what people need to see: a sentence, and where it has
// them the places, what exists instead, or what was accepted before.
type DetailError struct {
	Err      error // one of the sentinels above
	Detail   string
	Faults   []Fault
	Exists   []string  // names that exist, for a not found
	Problems []Problem // for ErrWorkflowInvalid
	Accepted *Accepted // for ErrAlreadyAnswered
}

func (e *DetailError) Error() string {
	text := e.Err.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	for i, f := range e.Faults {
		if i == 0 {
			text += ": "
		} else {
			text += "; "
		}
		text += strings.TrimSpace(f.Pointer + " " + f.Message)
	}
	if len(e.Exists) > 0 {
		text += " (there is: " + strings.Join(e.Exists, ", ") + ")"
	}
	return text
}

func (e *DetailError) Unwrap() error { return e.Err }

// detail builds a DetailError from a format.
func detail(sentinel error, format string, args ...any) *DetailError {
	return &DetailError{Err: sentinel, Detail: fmt.Sprintf(format, args...)}
}

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

// IsTransient tells whether an attempt that failed with err may be made again: a
// CallError or another error that says so, a timeout, a broken connection.
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

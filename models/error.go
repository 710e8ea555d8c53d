package models

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Kinds of errors in the history and in metrics. They are stable.
const (
	KindAuth            = "auth"             // the key is missing, wrong or not allowed to do this
	KindBadRequest      = "bad_request"      // the provider does not take this request
	KindBadResponse     = "bad_response"     // the provider answered something that cannot be read
	KindCancelled       = "cancelled"        // the caller gave up
	KindConnection      = "connection"       // no connection, or it broke before the answer was complete
	KindNotFound        = "not_found"        // no such model or address
	KindRateLimit       = "rate_limit"       // too many calls or tokens for now
	KindRefusal         = "refusal"          // the model, or the filter before it, declined to answer
	KindServer          = "server"           // the provider failed
	KindTimeout         = "timeout"          // no answer in time
	KindScripted        = "scripted"         // the script file says that this call fails
	KindScriptExhausted = "script_exhausted" // the script file has no reply left for this call
)

// An Error is a failed model call. Neither Message nor Err contains a key.
type Error struct {
	Kind   string
	Status int // of HTTP; 0 where there was none
	// Retryable is the result of Transient.
	Retryable bool
	// RetryAfter is the delay that the provider asks for; 0 if it gives none.
	RetryAfter time.Duration
	Message    string
	Err        error
}

// NewError returns an Error without a status. message names the provider and the operation;
// err, which may be nil, is appended.
func NewError(kind string, transient bool, message string, err error) *Error {
	return &Error{Kind: kind, Message: message, Err: err, Retryable: transient}
}

// Transient reports whether the same call may succeed when repeated.
func (e *Error) Transient() bool { return e.Retryable }

// Error returns the message, then status and kind where there was an answer,
// when to try again, and the cause.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Message)
	if e.Status != 0 {
		fmt.Fprintf(&text, " (HTTP %d, %s)", e.Status, e.Kind)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&text, "; try again in %s", e.RetryAfter)
	}
	if e.Err != nil {
		fmt.Fprintf(&text, ": %v", e.Err)
	}
	return text.String()
}

// Unwrap returns the cause, so that errors.Is finds a cancelled context.
func (e *Error) Unwrap() error { return e.Err }

// answered matches the text of an Error from StatusError: provider, message, status, and an
// optional suffix.
var answered = regexp.MustCompile(`^(?s:.*?): (.*?) \(HTTP ([1-9]\d\d), [a-z_]+\)(?:; try again in \S+|: .*)*$`)

// Said parses the text of an Error, which is all that a session stores of it: the HTTP status
// and the provider's message. ok is false for an error without a status.
func Said(text string) (status int, words string, ok bool) {
	found := answered.FindStringSubmatch(text)
	if found == nil {
		return 0, "", false
	}
	status, _ = strconv.Atoi(found[2])
	return status, found[1], true
}

// unanswered matches the text of an Error without a status: provider, address, and what
// happened.
var unanswered = regexp.MustCompile(`^\S+(?: at \S+)?: (no connection, or it broke|no answer in time|call cancelled)(?:: .*)?$`)

// unansweredWords maps these failures to the wording of the providers' own client libraries.
var unansweredWords = map[string]string{"no connection, or it broke": "Connection error.", "no answer in time": "Request timed out.", "call cancelled": "Request was aborted."}

// Words returns the text of an Error without the address of the provider, for imported flows
// and people who do not operate it: the status and the provider's message, or what happened to
// the call. Any other text is returned unchanged.
func Words(text string) string {
	if status, words, ok := Said(text); ok {
		return strconv.Itoa(status) + " " + words
	}
	if found := unanswered.FindStringSubmatch(text); found != nil {
		return unansweredWords[found[1]]
	}
	return text
}

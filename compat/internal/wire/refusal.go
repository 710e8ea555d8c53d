// Package wire contains what the routes of the foreign systems share: the HTTP status and text
// of an error, and reading a body.
package wire

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/stepgraph/stepgraph/engine"
)

// A Refusal is the error of an invalid request. Text is shown to the client.
type Refusal struct {
	Status int
	Text   string
}

func (e *Refusal) Error() string { return e.Text }

// Refuse returns the error of a bad request.
func Refuse(text string) error { return &Refusal{http.StatusBadRequest, text} }

// RefuseErrors returns the refusal of a workflow that cannot run here, for example because a tool
// is not registered: a line for each problem that is an error. Without errors it returns nil.
func RefuseErrors(problems []engine.Problem) error {
	var lines []string
	for _, p := range problems {
		if p.Level == "error" {
			lines = append(lines, strings.TrimPrefix(p.Step+": "+p.Message, ": "))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return Refuse(strings.Join(lines, "\n"))
}

// StatusOf returns the HTTP status of an error and the text for the client; 200 and "" for
// nil. An internal error is 500 with a general text.
func StatusOf(err error) (int, string) {
	var refused *Refusal
	switch {
	case err == nil:
		return http.StatusOK, ""
	case errors.As(err, &refused):
		return refused.Status, err.Error()
	case policy(err) != nil:
		return policy(err).GetStatus(), err.Error()
	case errors.Is(err, engine.ErrSessionNotFound), errors.Is(err, engine.ErrWorkflowNotFound):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, engine.ErrBadRequest):
		return http.StatusBadRequest, err.Error()
	case errors.Is(err, engine.ErrNoOpenQuestion), errors.Is(err, engine.ErrAlreadyAnswered):
		return http.StatusConflict, err.Error()
	case errors.Is(err, engine.ErrAnswerInvalid), errors.Is(err, engine.ErrNoEntry), errors.Is(err, engine.ErrKeyReused):
		return http.StatusUnprocessableEntity, explained(err)
	case errors.Is(err, engine.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, err.Error()
	case errors.Is(err, engine.ErrOverloaded):
		return http.StatusTooManyRequests, err.Error()
	case errors.Is(err, engine.ErrUnavailable), errors.Is(err, engine.ErrUnknownOutcome), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "not now, try again"
	case errors.Is(err, context.Canceled):
		return 499, "the client went away"
	}
	return http.StatusInternalServerError, "internal error"
}

// A refusalByPolicy is an error of the middleware between the routes and the engine, for a
// token without permission or an exceeded quota. Clients of all systems need its status and
// its Retry-After.
type refusalByPolicy interface {
	error
	GetStatus() int
}

func policy(err error) refusalByPolicy {
	var p refusalByPolicy
	if errors.As(err, &p) && p.GetStatus() != http.StatusInternalServerError {
		return p
	}
	return nil
}

// Policy returns the status of a refusal by policy or by an overloaded engine, and sets its
// headers; 0 for any other error.
func Policy(h http.Header, err error) int {
	if errors.Is(err, engine.ErrOverloaded) {
		h.Set("Retry-After", "5")
		return http.StatusTooManyRequests
	}
	p := policy(err)
	if p == nil {
		return 0
	}
	if with, ok := p.(interface{ GetHeaders() http.Header }); ok {
		for name, values := range with.GetHeaders() {
			h[name] = values
		}
	}
	return p.GetStatus()
}

// explained adds to an error where the answer is wrong.
func explained(err error) string {
	text := err.Error()
	var d *engine.DetailError
	if errors.As(err, &d) {
		for _, f := range d.Faults {
			text += ": " + f.Message
		}
	}
	return text
}

// Shown returns the error text that an editor of flows shows, "" for an internal error.
func Shown(err error) string {
	switch status, text := StatusOf(err); {
	case errors.Is(err, engine.ErrSessionEnded):
		return "the run has ended"
	case errors.Is(err, engine.ErrVersionMismatch):
		return "another client has just changed the flow, load it again"
	case status != http.StatusInternalServerError:
		return text
	}
	return ""
}

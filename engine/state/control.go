package state

import "github.com/stepgraph/stepgraph/engine/function"

// A Mark says when the session was paused or cancelled, and why.
type Mark struct {
	At     int64  `json:"at"`
	Reason string `json:"reason,omitempty"`
}

// A HeldAnswer is an answer, by its inbox number, to one question.
type HeldAnswer struct {
	N     int64  `json:"n"`
	Step  string `json:"step"`
	Visit int    `json:"visit"`
	Ask   int    `json:"ask"`
}

// control is what an operator or a failure has done to the session as a whole.
type control struct {
	paused    *Mark
	cancelled *Mark
	held      []HeldAnswer // answers that came during a pause
	failure   *function.SessionError
}

// Pause pauses the session: no step starts.
func (c *control) Pause(at int64, reason string) { c.paused = &Mark{At: at, Reason: reason} }

// Paused says when the session was paused, nil when it is not.
func (c *control) Paused() *Mark { return c.paused }

// Resume lifts a pause.
func (c *control) Resume() { c.paused = nil }

// Cancelled says when the session was cancelled, nil when it was not.
func (c *control) Cancelled() *Mark { return c.cancelled }

// Resting reports whether no step may start: the session is paused or cancelled.
func (c *control) Resting() bool { return c.paused != nil || c.cancelled != nil }

// Hold keeps an answer for the end of a pause.
func (c *control) Hold(a HeldAnswer) { c.held = append(c.held, a) }

// Held are the answers that wait for the end of a pause, in the order in which they came.
func (c *control) Held() []HeldAnswer { return c.held }

// ReleaseHeld forgets the answers that waited for the end of a pause.
func (c *control) ReleaseHeld() { c.held = nil }

// Fail makes an error that of the session as a whole, or of the newest step that failed.
func (c *control) Fail(problem *function.SessionError) { c.failure = problem }

// Failure is the error of the session, or nil.
func (c *control) Failure() *function.SessionError { return c.failure }

// ClearFailure forgets the session's error where it is that of the step.
func (c *control) ClearFailure(step string) {
	if f := c.failure; f != nil && f.Step == step {
		c.failure = nil
	}
}

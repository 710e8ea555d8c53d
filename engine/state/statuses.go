package state

import (
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// statuses are the steps that have run or are to run, and how each stands.
type statuses struct {
	steps map[string]*Step
	order []string // of the keys in the text
	// handled are steps in error whose error was dealt with by what they acted for (an agent, a
	// group, a container that continues), with its kind: nothing waits for them.
	handled map[string]string
}

// A Step is a step's entry in state.workflow.
type Step struct {
	Status       string
	Error        string
	LastExecuted int64 // ms, 0 for never
	extra        []jsontext.Field
}

// Step returns a step's entry, or nil when the step has none.
func (s *statuses) Step(id string) *Step { return s.steps[id] }

// Status returns a step's status, "" when it has no entry.
func (s *statuses) Status(step string) string {
	if e := s.steps[step]; e != nil {
		return e.Status
	}
	return ""
}

// ErrorText returns the text of a step's error, "" for none.
func (s *statuses) ErrorText(step string) string {
	if e := s.steps[step]; e != nil {
		return e.Error
	}
	return ""
}

// StepIDs returns the steps that have an entry, in the order of the text. The list must not be
// changed; steps that get an entry while a caller goes through it are not part of it.
func (s *statuses) StepIDs() []string { return s.order[:len(s.order):len(s.order)] }

// SetStatus gives a step an entry or changes its status; the error text is cleared
// unless the status is error.
func (s *statuses) SetStatus(step, status, problem string) *Step {
	e := s.steps[step]
	if e == nil {
		e = &Step{}
		s.steps[step] = e
		s.order = append(s.order, step)
	}
	e.Status, e.Error = status, problem
	delete(s.handled, step)
	return e
}

// ClearStatus makes a step one that has not run.
func (s *statuses) ClearStatus(step string) {
	if s.steps[step] == nil {
		return
	}
	delete(s.steps, step)
	delete(s.handled, step)
	for i, id := range s.order {
		if id == step {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			return
		}
	}
}

// HasBegun reports whether a step has begun and not ended: it is active, pending or awaiting
// input.
func (s *statuses) HasBegun(step string) bool {
	switch s.Status(step) {
	case store.StatusActive, store.StatusPending, store.StatusAwaitingInput:
		return true
	}
	return false
}

// Failed reports whether a step is in error and the error is not handled.
func (s *statuses) Failed(step string) bool {
	_, settled := s.handled[step]
	return s.Status(step) == store.StatusError && !settled
}

// NoteHandled keeps that a step's error of this kind was handled.
func (s *statuses) NoteHandled(step, kind string) { s.handled = put(s.handled, step, kind) }

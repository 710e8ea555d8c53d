package state

import (
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// A State is a session's state, decoded. Outputs and messages stay JSON text: they are
// written back byte for byte, so a number keeps its literal and an object its key order.
// Unknown keys are kept, at the top, in `data` and in a step's entry.
//
// Parse makes a State from a record, a runner changes it through its methods, and AppendJSON writes
// it into the next checkpoint. It is not safe for concurrent use: one goroutine owns it; what several
// goroutines read is a Reading, which cannot be changed. No other package reads or writes its fields,
// so the methods keep statuses, live visits and open questions consistent.
type State struct {
	ID            string
	LastEvaluated int64 // ms

	statuses
	outputs
	chat
	liveSteps
	asks
	joins
	suspended
	control
	plan
	family
	undo

	visits int // since the last pause, against max_steps

	extra     []jsontext.Field // unknown keys at the top
	dataExtra []jsontext.Field // unknown keys in data
	unknown   []jsontext.Field // keys of a newer engine in our own, kept
}

// New returns the state of a session that has not begun.
func New(id string) *State {
	return &State{ID: id, statuses: statuses{steps: map[string]*Step{}}, outputs: outputs{byStep: map[string]*outputList{}}}
}

// RunsAsTool reports whether a step's visit that has not ended is the call of an agent's tool.
func (s *State) RunsAsTool(step string) bool {
	l := s.liveSteps.live[step]
	return l != nil && l.Tool != nil && s.HasBegun(step)
}

// willRunAgain reports whether a step that is to run once more has ended: it begins as soon as
// its call is over, which may outlive a visit that was cancelled.
func (s *State) willRunAgain(step string) bool { return !s.HasBegun(step) && !s.Failed(step) }

// SessionStatus is the status of the session as its state says it: the first of
// cancelled, paused, active, awaiting_input, pending, error, complete that holds.
func (s *State) SessionStatus() string {
	switch {
	case s.control.cancelled != nil:
		return store.StatusCancelled
	case s.control.paused != nil:
		return store.StatusPaused
	}
	var active, awaiting, pending, failed bool
	for _, id := range s.statuses.order {
		switch s.statuses.steps[id].Status {
		case store.StatusActive:
			active = active || !s.heldOpen(id)
		case store.StatusAwaitingInput:
			awaiting = true
		case store.StatusPending:
			pending = true
		case store.StatusError:
			failed = failed || s.Failed(id)
		}
	}
	for id := range s.joins.again {
		active = active || s.willRunAgain(id)
	}
	switch {
	case active:
		return store.StatusActive
	case awaiting:
		return store.StatusAwaitingInput
	case pending:
		return store.StatusPending
	case failed || s.control.failure != nil && s.control.failure.Step == "":
		return store.StatusError
	}
	return store.StatusComplete
}

// ShownStatus is the status the state says, except that a state made by hand without a
// step is about to start. version is that of its session.
func (s *State) ShownStatus(version int64) string {
	if len(s.statuses.steps) == 0 && version == 0 {
		return store.StatusActive
	}
	return s.SessionStatus()
}

// LastRun is the step that completed last, as a list of one; nothing when none has an
// output.
func (s *State) LastRun() []string {
	last := ""
	for _, id := range s.statuses.order {
		if e := s.statuses.steps[id]; e.Status == store.StatusComplete && len(s.Outputs(id)) > 0 && (last == "" || e.LastExecuted >= s.statuses.steps[last].LastExecuted) {
			last = id
		}
	}
	if last == "" {
		return nil
	}
	return []string{last}
}

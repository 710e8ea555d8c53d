package state

import (
	"cmp"
	"slices"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// UnderWay reports whether a visit of a step has begun and not ended.
func (s *State) UnderWay(step string, visit int) bool {
	l := s.liveSteps.live[step]
	return s.HasBegun(step) && l != nil && l.Visit == visit
}

// Lacks reports whether a step waits for an engine that has its function.
func (s *State) Lacks() bool {
	for id, l := range s.liveSteps.live {
		if l.Lacks != "" && s.Status(id) == store.StatusActive {
			return true
		}
	}
	return false
}

// visitsOf is where visits are counted against max_steps: in the round of the container that
// holds the step, else in the session.
func (s *State) visitsOf(holder string) *int {
	if d := s.suspended.calls[holder]; d != nil && d.Body != nil {
		return &d.Body.Visits
	}
	return &s.visits
}

// Visits is how many visits count against max_steps, in the round of the container `holder` or,
// for "", in the session.
func (s *State) Visits(holder string) int { return *s.visitsOf(holder) }

// CountVisit counts a visit against max_steps.
func (s *State) CountVisit(holder string) { *s.visitsOf(holder)++ }

// RenewAllowance resets the count of visits, because a person or a timer has continued the
// session.
func (s *State) RenewAllowance(holder string) { *s.visitsOf(holder) = 0 }

// NoteUntaken remembers that a path to a step without status was not taken: what only such paths
// lead to becomes skipped.
func (s *State) NoteUntaken(target string) {
	if s.Status(target) == "" && !slices.Contains(s.joins.untaken, target) {
		s.joins.untaken = append(s.joins.untaken, target)
	}
}

// EachTaken calls visit for each path that led to a waiting join, to a step that runs once more,
// or to a step that has not ended.
func (s *State) EachTaken(visit func(step string, from TakenPath)) {
	for _, lists := range []map[string][]TakenPath{s.joins.waiting, s.joins.again} {
		for step, took := range lists {
			for _, t := range took {
				visit(step, t)
			}
		}
	}
	for step, l := range s.liveSteps.live {
		if l.Tool == nil {
			for _, t := range l.Took {
				visit(step, t)
			}
		}
	}
}

// WaitsForChildren reports whether a step waits for child sessions.
func (s *State) WaitsForChildren() bool {
	for id, d := range s.suspended.calls {
		if d.Children != nil && !d.Ready && s.Status(id) == store.StatusActive {
			return true
		}
	}
	return false
}

// Cancel ends the session: nothing that waits is activated any more. It ends a pause as well: a
// session that a person revives by an edit of its state goes on.
func (s *State) Cancel(at int64, reason string) {
	s.joins = joins{halted: s.halted}
	s.control.paused = nil
	s.cancelled = &Mark{At: at, Reason: reason}
}

// Handle marks a failed step's error as handled by what the step acted for: it stays visible and
// no longer affects the session's status. The step is no longer live.
func (s *State) Handle(step string) {
	kind := function.KindFailed
	if l := s.liveSteps.live[step]; l != nil {
		kind = cmp.Or(l.Kind, kind)
	}
	s.NoteHandled(step, kind)
	delete(s.liveSteps.live, step)
	s.ClearFailure(step)
}

// StepError is the error a step is in.
func (s *State) StepError(step string) *function.SessionError {
	e := &function.SessionError{Step: step, Kind: cmp.Or(s.statuses.handled[step], function.KindFailed), Message: s.ErrorText(step)}
	if l := s.liveSteps.live[step]; l != nil && l.Kind != "" {
		e.Kind = l.Kind
	}
	return e
}

// CountVisitsIn raises the counted visits to those in the state.
func (s *State) CountVisitsIn(c *Counters) {
	for id, l := range s.live {
		c.NoteVisit(id, l.Visit)
	}
}

package state

import (
	"cmp"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// A state may have been made or edited by a person, or by LUNA. This file completes what such a
// text leaves out and keeps what an edit must not take away.

// AdoptStart gives a state that was made by hand or by LUNA its entry, and activates that
// where the state has no step.
func (s *State) AdoptStart(text []byte) {
	if s.plan.entry == "" {
		s.plan.entry = adoptEntry(text)
	}
	if len(s.statuses.steps) == 0 && len(s.liveSteps.live) == 0 {
		entry := cmp.Or(s.plan.entry, graph.DefaultEntry)
		s.SetStatus(entry, store.StatusActive, "")
		s.MakeLive(entry)
	}
}

// adoptEntry reads where a session of LUNA began: its workflow_id names the entry step,
// unless that is the workflow's own name.
func adoptEntry(text []byte) string {
	if id := gjson.GetBytes(text, "workflow_id").String(); id != "" && id != graph.DefaultWorkflow {
		return id
	}
	return ""
}

// Revive resumes a cancelled session in which a person has made a step active or awaiting input.
// Cancelling leaves no such step, so the edit means that the session should run. Otherwise the
// session would show an open question that accepts no answer.
func (s *State) Revive() {
	if s.control.cancelled == nil {
		return
	}
	for id := range s.statuses.steps {
		if s.HasBegun(id) {
			s.control.cancelled = nil
			return
		}
	}
}

// Tidy drops what the engine keeps of steps that are not live any more, or of which the text has
// no status: a person has changed them.
func (s *State) Tidy() {
	for id := range s.asks.asked {
		if s.Status(id) != store.StatusAwaitingInput {
			delete(s.asks.asked, id)
		}
	}
	for id := range s.liveSteps.live {
		if s.statuses.steps[id] == nil {
			delete(s.liveSteps.live, id)
		}
	}
}

// KeepHeld keeps the answers that wait for the end of a pause, and refuses a text that closes
// the question of one.
func (s *State) KeepHeld(old *State) error {
	s.control.held = old.held
	for _, h := range s.control.held {
		if !s.IsOpen(h.Step, AskRef{h.Visit, h.Ask}) {
			return store.Detailf(store.ErrSessionBusy, "question %s/%d/%d was answered during the pause, and the edit closes it; resume the session before the edit", h.Step, h.Visit, h.Ask)
		}
	}
	return nil
}

// RenewVisits gives steps that an edit makes live again numbers of their own. A visit that
// was over has used its question and its call: an answer to the same question would be
// refused as answered before, and an effect would go out under a key that was used. A visit
// that is under way as the session is now stays the one it is.
func (s *State) RenewVisits(old *State, counted *Counters) {
	for _, id := range s.statuses.order {
		l := s.liveSteps.live[id]
		if l == nil || l.Visit == 0 || counted.Visits(id) < l.Visit {
			continue
		}
		d := s.suspended.calls[id]
		if !old.hasVisit(id, l.Visit, s.Status(id)) && (d == nil || d.Children != nil) {
			l.Visit = counted.NextVisit(id)
			delete(s.suspended.calls, id) // child sessions have the visit in their ids: others are started
		}
		if q := s.asks.asked[id]; q != nil && !old.IsOpen(id, AskRef{q.Visit, q.Ask}) {
			q.Visit, q.Ask = l.Visit, counted.NextAsk(id, l.Visit)
		}
	}
}

// hasVisit reports whether a visit is under way, or is in error where that is asked for.
func (s *State) hasVisit(id string, visit int, status string) bool {
	l := s.liveSteps.live[id]
	if l == nil || l.Visit != visit {
		return false
	}
	now := s.Status(id)
	return (now == store.StatusError) == (status == store.StatusError) && now != ""
}

// Adopt completes a state made by hand or by LUNA: `{}` starts at the root, a step that a person
// made active gets a visit, and a question without an entry of ours gets one. It reports whether
// it gave out a visit's number.
func (s *State) Adopt(rec *store.SessionRecord, c *Counters, now int64) (counted bool) {
	if rec.Version == 0 {
		s.AdoptStart(rec.State)
	}
	s.Revive()
	for _, id := range s.StepIDs() {
		switch s.Status(id) {
		case store.StatusActive, store.StatusPending:
			_, made := s.EnsureVisit(id, c)
			counted = counted || made
		case store.StatusAwaitingInput:
			l, made := s.EnsureVisit(id, c)
			counted = counted || made
			if s.Ask(id) == nil {
				s.AdoptAsk(id, l.Visit, c, now)
			}
		case store.StatusError: // keeps what a retry needs
		default:
			s.EndLive(id)
		}
	}
	s.Tidy()
	return counted
}

// EnsureVisit gives a step that was made active by hand its visit number. It reports whether
// the step had none.
func (s *State) EnsureVisit(step string, c *Counters) (l *LiveStep, made bool) {
	l = s.MakeLive(step)
	if l.Visit == 0 {
		l.Visit, made = c.NextVisit(step), true
	}
	return l, made
}

// LiveIn are the steps from which something may still come: those that run, wait or may be
// retried, and joins that wait.
func (s *State) LiveIn(def *graph.Definition) []*graph.CompiledStep {
	var live []*graph.CompiledStep
	for _, id := range s.statuses.order {
		step := def.Step(id)
		if step == nil {
			continue
		}
		if l := s.live[id]; l != nil && l.Tool != nil {
			continue // its paths are not followed: the agent is what lives
		}
		switch {
		case s.HasBegun(id), s.Failed(id) && step.OnError != graph.OnErrorContinue:
			live = append(live, step)
		}
	}
	for _, id := range s.WaitingJoins() {
		if step := def.Step(id); step != nil {
			live = append(live, step)
		}
	}
	for _, id := range s.ToRunAgain() {
		if step := def.Step(id); step != nil && (s.willRunAgain(id) || s.RunsAsTool(id)) {
			live = append(live, step)
		}
	}
	return live
}

// AdoptAsks gives questions of LUNA, or made by hand, their entries, as the holder of the session
// will.
func (s *State) AdoptAsks(rec *store.SessionRecord, now int64) {
	c, err := ParseCounters(rec.ID, rec.Counters)
	if err != nil {
		return
	}
	for _, id := range s.statuses.order {
		if s.Status(id) != store.StatusAwaitingInput || s.Ask(id) != nil {
			continue
		}
		visit := c.Visits(id) + 1 // what the holder will give it
		if l := s.Live(id); l != nil && l.Visit > 0 {
			visit = l.Visit
		}
		s.AdoptAsk(id, visit, c, now)
	}
}

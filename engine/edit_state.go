package engine

import (
	"context"
	"encoding/json"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// EditState replaces the state of a session at rest, if it still has version; who did it
// is kept among the session's requests. The session is woken with the new state and the
// graph of now. Counters never go back, whatever the text says. A text that makes a step of a
// cancelled session live takes the session up again. While the session has requests that are
// not applied yet, held answers of a pause among them, the edit is refused: it would take
// away what they were accepted for. Errors: ErrSessionNotFound, ErrSessionBusy,
// ErrVersionMismatch, ErrBadRequest, ErrTooLarge.
func (e *Engine) EditState(ctx context.Context, id string, version int64, text []byte, by string) (*Session, error) {
	if len(text) > e.o.MaxState {
		return nil, detail(ErrTooLarge, "state has %d bytes, at most %d are kept", len(text), e.o.MaxState)
	}
	state, err := ParseState(id, text)
	if err != nil {
		return nil, detail(ErrBadRequest, "%v", err)
	}
	if err := state.checkMessages(); err != nil {
		return nil, err
	}
	rec, err := e.store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	counted, seen := editedCounters(rec)
	if rec.Version == 0 { // the edit takes it over: a claim will not look again
		state.adoptStart(text)
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	state.renewVisits(rec, counted)
	for _, step := range state.stepOrder {
		if state.steps[step].Status == StatusAwaitingInput && state.engine.Asks[step] == nil {
			l := state.live(step)
			if l.Visit == 0 {
				counted.Visits[step]++
				l.Visit = counted.Visits[step]
			}
			state.adoptQuestion(step, l.Visit, counted, now.UnixMilli())
		}
	}
	state.revive()
	if err := state.keepHeld(rec); err != nil {
		return nil, err
	}
	awaiting, since := state.awaiting()
	body, _ := jsontext.Marshal(map[string]any{"bytes": len(text), "version": version})
	edited, err := e.store.EditState(ctx, StateEdit{
		Session: id, Version: version, Seen: seen, State: state.AppendJSON(nil), Counters: counted.appendJSON(),
		Status: state.SessionStatus(), Awaiting: awaiting, Since: since,
		Request: Request{Key: e.o.NewID(), Session: id, Kind: RequestState, Body: body, By: by, Outcome: "applied"},
	})
	if err != nil {
		return nil, err
	}
	e.wakeUp()
	return e.view(ctx, edited)
}

// editedCounters are the counters that an edit goes on from, and the inbox number they have
// seen. Counters that a person has removed or damaged know nothing of the inbox: all that
// is in it counts as seen.
func editedCounters(rec *SessionRecord) (counted *counters, seen int64) {
	counted, err := parseCounters(rec.ID, rec.Counters)
	if err != nil {
		counted = &counters{Visits: map[string]int{}}
	}
	if err != nil || len(rec.Counters) == 0 && rec.Version > 0 {
		return counted, rec.Inbox
	}
	return counted, counted.Seen
}

// revive takes up a cancelled session of which a person has made a step live: cancelling
// leaves no live step, so somebody wants this one to run. Without that the session would show
// an open question that takes no answer.
func (s *State) revive() {
	if s.engine.Cancelled == nil {
		return
	}
	for _, step := range s.steps {
		switch step.Status {
		case StatusActive, StatusPending, StatusAwaitingInput:
			s.engine.Cancelled = nil
			return
		}
	}
}

// keepHeld keeps the answers that wait for the end of a pause, and refuses a text that closes
// the question of one.
func (s *State) keepHeld(rec *SessionRecord) error {
	old, err := ParseState(rec.ID, rec.State)
	if err != nil {
		return nil
	}
	s.engine.Held = old.engine.Held
	for _, h := range s.engine.Held {
		q := s.engine.Asks[h.Step]
		if q == nil || s.Status(h.Step) != StatusAwaitingInput || q.Visit != h.Visit || q.Ask != h.Ask {
			return detail(ErrSessionBusy, "question %s/%d/%d was answered during the pause, and the edit closes it; resume the session before the edit", h.Step, h.Visit, h.Ask)
		}
	}
	return nil
}

// renewVisits gives steps that the edit makes live again numbers of their own. A visit that
// was over has used its question and its call: an answer to the same question would be
// refused as answered before, and an effect would go out under a key that was used. A visit
// that is under way as the session is now stays the one it is.
func (s *State) renewVisits(rec *SessionRecord, counted *counters) {
	old, err := ParseState(rec.ID, rec.State)
	if err != nil {
		old = NewState(rec.ID)
	}
	for _, id := range s.stepOrder {
		l := s.engine.Live[id]
		if l == nil || l.Visit == 0 || counted.Visits[id] < l.Visit {
			continue
		}
		d := s.engine.Driven[id]
		if !old.hasVisit(id, l.Visit, s.Status(id)) && (d == nil || d.Kids != nil) {
			counted.Visits[id]++
			l.Visit = counted.Visits[id]
			delete(s.engine.Driven, id) // child sessions have the visit in their ids: others are started
		}
		if q := s.engine.Asks[id]; q != nil && !old.hasAsk(id, q) {
			q.Visit, q.Ask = l.Visit, counted.nextAsk(id, l.Visit)
		}
	}
}

// hasVisit reports whether a visit is under way, or is in error where that is asked for.
func (s *State) hasVisit(id string, visit int, status string) bool {
	l := s.engine.Live[id]
	if l == nil || l.Visit != visit {
		return false
	}
	now := s.Status(id)
	return (now == StatusError) == (status == StatusError) && now != ""
}

// hasAsk reports whether the same question is open.
func (s *State) hasAsk(id string, q *openAsk) bool {
	open := s.engine.Asks[id]
	return open != nil && s.Status(id) == StatusAwaitingInput && open.Visit == q.Visit && open.Ask == q.Ask
}

// checkMessages sees that the chat still is one.
func (s *State) checkMessages() error {
	for i, text := range s.messages {
		var m Message
		if err := json.Unmarshal(text, &m); err != nil {
			return detail(ErrBadRequest, "data.messages[%d]: %v", i, err)
		}
	}
	return nil
}

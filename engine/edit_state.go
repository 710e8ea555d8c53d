package engine

import (
	"context"
	"encoding/json"
	"time"
)

// EditState replaces the state of a session at rest, if it still has version; who did it
// is kept among the session's requests. The session is woken with the new state and the
// graph of now. Counters never go back, whatever the text says. Errors:
// ErrSessionNotFound, ErrSessionBusy, ErrVersionMismatch, ErrBadRequest, ErrTooLarge.
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
	counted, err := parseCounters(id, rec.Counters)
	if err != nil {
		counted = &counters{Visits: map[string]int{}}
	}
	if rec.Version == 0 { // the edit takes it over: a claim will not look again
		state.adoptStart(text)
	}
	for _, step := range state.stepOrder {
		if state.steps[step].Status == StatusAwaitingInput && state.engine.Asks[step] == nil {
			l := state.live(step)
			if l.Visit == 0 {
				counted.Visits[step]++
				l.Visit = counted.Visits[step]
			}
			state.adoptQuestion(step, l.Visit, counted, time.Now().UnixMilli())
		}
	}
	awaiting, since := state.awaiting()
	body, _ := encodePlain(map[string]any{"bytes": len(text), "version": version})
	edited, err := e.store.EditState(ctx, StateEdit{
		Session: id, Version: version, State: state.AppendJSON(nil), Counters: counted.appendJSON(),
		Status: state.SessionStatus(), Awaiting: awaiting, Since: since,
		Request: Request{Key: e.o.NewID(), Session: id, Kind: RequestState, Body: body, By: by, Outcome: "applied"},
	})
	if err != nil {
		return nil, err
	}
	e.wakeUp()
	return e.view(ctx, edited)
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

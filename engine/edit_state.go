package engine

import (
	"context"

	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// An EditRequest replaces the state of a session.
type EditRequest struct {
	Session string
	Version int64  // of the state that the edit was made from
	State   []byte // the whole new state, a JSON object
	By      string // who edits, if known
}

// EditState replaces the state of an idle session if its version is still q.Version. Who made the
// edit is recorded in the session's requests. The session is then evaluated with the new state
// and the current workflow. Counters never decrease, whatever the text says. A text that makes a
// step of a cancelled session active or awaiting input revives the session. While the session
// has requests that are not applied yet, including answers held by a pause, the edit is refused,
// because it would invalidate accepted requests. Errors: ErrSessionNotFound, ErrSessionBusy,
// ErrVersionMismatch, ErrBadRequest, ErrTooLarge.
func (e *Engine) EditState(ctx context.Context, q EditRequest) (*Session, error) {
	if len(q.State) > e.o.MaxState {
		return nil, store.Detailf(ErrTooLarge, "state has %d bytes, at most %d are kept", len(q.State), e.o.MaxState)
	}
	st, err := ParseState(q.Session, q.State)
	if err != nil {
		return nil, store.Detailf(ErrBadRequest, "%v", err)
	}
	if err := st.CheckMessages(); err != nil {
		return nil, err
	}
	rec, err := e.store.Session(ctx, q.Session)
	if err != nil {
		return nil, err
	}
	counted, seen := editedCounters(rec)
	if rec.Version == 0 { // the edit adopts the session, which a claim will not do later
		st.AdoptStart(q.State)
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	old, oldErr := ParseState(rec.ID, rec.State)
	if oldErr != nil {
		old, _ = ParseState(rec.ID, nil) // nothing of it can be kept
	}
	st.RenewVisits(old, counted)
	for _, step := range st.StepIDs() {
		if st.Status(step) == StatusAwaitingInput && st.Ask(step) == nil {
			l := st.MakeLive(step)
			if l.Visit == 0 {
				l.Visit = counted.NextVisit(step)
			}
			st.AdoptAsk(step, l.Visit, counted, now.UnixMilli())
		}
	}
	st.Revive()
	if oldErr == nil {
		if err := st.KeepHeld(old); err != nil {
			return nil, err
		}
	}
	awaiting, since := st.Awaiting()
	body, _ := jsontext.Marshal(map[string]any{"bytes": len(q.State), "version": q.Version})
	edited, err := e.store.EditState(ctx, store.StateEdit{
		Session: q.Session, Version: q.Version, Seen: seen, State: st.AppendJSON(nil), Counters: counted.AppendJSON(),
		Status: st.SessionStatus(), Awaiting: awaiting, Since: since,
		Request: Request{Key: e.o.NewID(), Session: q.Session, Kind: store.RequestState, Body: body, By: q.By, Outcome: "applied"},
	})
	if err != nil {
		return nil, err
	}
	e.wakeUp()
	return e.view(ctx, edited)
}

// editedCounters returns the counters that an edit continues from, and the inbox number that they
// have processed. If a person has removed or damaged the counters, every request in the inbox
// counts as processed.
func editedCounters(rec *store.SessionRecord) (counted *state.Counters, seen int64) {
	counted, err := state.ParseCounters(rec.ID, rec.Counters)
	if err != nil {
		counted = state.NewCounters()
	}
	if err != nil || len(rec.Counters) == 0 && rec.Version > 0 {
		return counted, rec.Inbox
	}
	return counted, counted.Seen()
}

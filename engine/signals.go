package engine

import (
	"github.com/stepgraph/stepgraph/engine/internal/session"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// maxSignals is how many signals that no step waits for yet a session keeps.
const maxSignals = 100

// admitSignal refuses a signal beyond those that a session keeps, under the session's lock.
// The limit is checked here and nowhere else: what was acknowledged is never dropped. Signals
// that were taken and not applied yet count as kept, unless a step waits for them.
func admitSignal(v *InboxView, name string) error {
	s, err := state.ReadOnly(v.Session.ID, v.Session.State)
	if err != nil {
		return store.Detailf(ErrBadRequest, "%v", err)
	}
	waits := map[string]int{}
	for _, w := range s.Waiting() {
		if l := s.Live(w.Step); w.Kind == AskSignal && l != nil && l.Wait != nil {
			waits[l.Wait.Signal]++
		}
	}
	kept := s.KeptSignals()
	for i := range v.Unapplied {
		if v.Unapplied[i].Kind != RequestSignal {
			continue
		}
		if before := session.BodyOf(&v.Unapplied[i]).Name; waits[before] > 0 {
			waits[before]--
		} else {
			kept++
		}
	}
	if waits[name] == 0 && kept >= maxSignals {
		return store.Detailf(ErrSignalsFull, "%d signals are kept that no step has waited for, at most %d are; "+
			"%q was not taken. Send it once a step waits for it, or let the workflow wait for those that were sent", kept, maxSignals, name)
	}
	return nil
}

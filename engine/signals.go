package engine

import (
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/tidwall/gjson"
)

// maxSignals is how many signals a session keeps that no step waits for yet.
const maxSignals = 100

// admitSignal refuses a signal when the session already keeps maxSignals, under the session's lock.
// The limit is checked only here, because an acknowledged signal is never dropped. Signals that are
// accepted and not applied yet count as kept, unless a step waits for them.
func admitSignal(v *store.InboxView, s *state.Reading, name string) error {
	waits, taken := state.Shared(s, "signals", waitsForSignals), map[string]int{}
	kept := s.KeptSignals()
	for i := range v.Unapplied {
		if v.Unapplied[i].Kind != RequestSignal {
			continue
		}
		before := gjson.GetBytes(v.Unapplied[i].Body, "name").String()
		if taken[before]++; taken[before] > waits[before] {
			kept++
		}
	}
	if taken[name] >= waits[name] && kept >= maxSignals {
		return store.Detailf(ErrSignalsFull, "%d signals are kept that no step has waited for, at most %d are; "+
			"%q was not taken. Send it once a step waits for it, or let the workflow wait for those that were sent", kept, maxSignals, name)
	}
	return nil
}

// waitsForSignals returns how many steps wait for a signal, by its name.
func waitsForSignals(s *State) map[string]int {
	waits := map[string]int{}
	for step, q := range s.Asks() {
		if l := s.Live(step); q.Kind == AskSignal && s.Status(step) == StatusAwaitingInput && l != nil && l.Wait != nil {
			waits[l.Wait.Signal]++
		}
	}
	return waits
}

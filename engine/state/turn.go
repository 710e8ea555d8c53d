package state

import "github.com/stepgraph/stepgraph/engine/store"

// InQueue reports whether a session waits for its turn, by the limits of its workflow: its row says
// pending, its state does not, and it is neither leased nor due.
func (s *State) InQueue(rec *store.SessionRecord) bool {
	return rec.Status == store.StatusPending && rec.Lease == "" && rec.DueAt.IsZero() && s.ShownStatus(rec.Version) != store.StatusPending
}

// StatusOf is the status of a session for people: pending while it waits for its turn, else what its state says.
func (s *State) StatusOf(rec *store.SessionRecord) string {
	if s.InQueue(rec) {
		return store.StatusPending
	}
	return s.ShownStatus(rec.Version)
}

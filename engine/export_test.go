package engine

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// SearchFor sets how long a search looks before it says what it has found.
func SearchFor(e *Engine, d time.Duration) { e.searchTime = d }

// Holds reports whether an engine runs a session.
func Holds(e *Engine, session string) bool { return e.holds(session) }

// Watched reports whether anybody waits for a session or follows it.
func Watched(e *Engine, session string) bool { return e.events.watched(session) }

// HandOver gives a session to those who wait for it, as its runner does when it rests.
func HandOver(e *Engine, rec *store.SessionRecord) {
	e.events.send(rec.ID, busEvent{version: rec.Version, rested: true, rest: rec})
}

// HandedOver reports whether a waiter has not yet looked at a session that was handed over.
func HandedOver(e *Engine, session string) (left bool) {
	e.events.each(session, func(w *watcher) { left = left || w.rest != nil })
	return left
}

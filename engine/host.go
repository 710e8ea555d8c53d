package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/internal/inturn"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A host implements session.Host: the engine as its sessions use it.
type host struct{ e *Engine }

func (h host) Slot(ctx context.Context, function, session, workflow string, person bool) (func(), error) {
	level := h.e.limits.Limits(workflow).Level()
	if person {
		level = levelOfPeople
	}
	return h.e.slots.take(ctx, function, caller{session, workflow, level})
}

// ConcurrencyKey returns the value of the workflow's concurrency key for a new session.
func (h host) ConcurrencyKey(session, workflow string, begun *State) string {
	return inturn.Key(h.e.limits.Limits(workflow), session, inturn.Given{State: begun})
}

func (h host) WakeUp()                                  { h.e.wakeUp() }
func (h host) DueAt(at time.Time, offset time.Duration) { h.e.dueAt(at, offset) }
func (h host) Poke(session string)                      { h.e.pokeHolder(session) }

// LeaveAlone keeps this engine from claiming a session, and tells the others that it is due.
func (h host) LeaveAlone(session string) {
	h.e.leaveAlone(session)
	h.e.tellInbox("")
}
func (h host) Publish(ev event.Event) { h.e.events.publish(ev) }
func (h host) PublishAll(session string, version int64, events []event.Noted, rested *store.SessionRecord) {
	if rested != nil && rested.Status == StatusAwaitingInput {
		h.e.rested.note(session, rest{rested.Workflow, version})
	}
	h.e.events.publishAll(session, version, events, rested)
}

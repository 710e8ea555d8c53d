package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
)

// A host is an engine as its sessions see it, see session.Host.
type host struct{ e *Engine }

func (h host) Slot(ctx context.Context, function, workflow string, person bool) (func(), error) {
	level := defaultPriority
	if person {
		level = levelOfPeople
	}
	return h.e.slots.take(ctx, function, caller{workflow, level})
}

func (h host) WakeUp()                                  { h.e.wakeUp() }
func (h host) DueAt(at time.Time, offset time.Duration) { h.e.dueAt(at, offset) }
func (h host) Poke(session string)                      { h.e.pokeHolder(session) }
func (h host) LeaveAlone(session string)                { h.e.leaveAlone(session) }
func (h host) Publish(ev event.Event)                   { h.e.events.publish(ev) }
func (h host) PublishAll(session string, version int64, events []event.Noted, rested bool) {
	h.e.events.publishAll(session, version, events, rested)
}

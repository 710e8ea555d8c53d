package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Overload is told by how late due work is, not by how much of it there is: 100,000 sessions of one
// quick step are no backlog, 2,000 that call a slow model are. While the engine has no room and a
// session has been due for longer than Options.MaxLate, starts that get no place are refused with
// ErrOverloaded. Starts of workflows that hold less than their share still get one. Answers, other
// requests of people and batches are never refused.

// overloadEvery is how often an engine without room looks how late due work is.
const overloadEvery = time.Second

// backlogLoop keeps places.late, how long the session that is due first has been due.
func (b background) backlogLoop(ctx context.Context) {
	every(ctx, overloadEvery, func() {
		late := time.Duration(0)
		if b.full() {
			next, err := b.store.NextDue(ctx)
			if err != nil || next.IsZero() {
				return
			}
			now, err := b.store.Now(ctx)
			if err != nil {
				return
			}
			late = max(0, now.Sub(next))
		}
		b.mu.Lock()
		b.places.late = late
		b.mu.Unlock()
	})
}

// full tells whether something was left due for want of a place.
func (h *holding) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.places.refused || h.places.late > 0
}

// overloaded is the refusal of a start that got no place, or nil. most is Options.MaxLate.
func (h *holding) overloaded(most time.Duration) error {
	h.mu.Lock()
	late := h.places.late
	h.mu.Unlock()
	if late <= most {
		return nil
	}
	return store.Detailf(ErrOverloaded, "sessions have been due for %s, and this engine has no room", late.Round(time.Second))
}

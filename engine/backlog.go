package engine

import (
	"context"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// Overload is measured by how late due work is, not by its amount: 100,000 sessions of one quick
// step are no backlog, 2,000 that call a slow model are. While the engine has no free place and a
// session has been due for longer than Options.MaxLate, starts without a place are refused with
// ErrOverloaded. A workflow that holds less than its share still gets places. Answers, other
// requests of people and batches are never refused.

// An engine without free places measures how late due work is every overloadEvery. One that has
// room does it every overdueEvery-th time: work that no engine takes up is to be seen then too.
const (
	overloadEvery = time.Second
	overdueEvery  = 10
)

// backlogLoop updates places.late and places.overdue: how long the session with the earliest due
// time has been due.
func (b background) backlogLoop(ctx context.Context) {
	n := 0
	every(ctx, overloadEvery, func() {
		full := b.full()
		if n++; !full && n%overdueEvery != 0 {
			return
		}
		overdue, err := b.longestDue(ctx)
		if err != nil {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.places.overdue, b.places.late = overdue, 0
		if full {
			b.places.late = overdue
		}
	})
}

// longestDue returns for how long the session with the earliest due time has been due.
func (b background) longestDue(ctx context.Context) (time.Duration, error) {
	next, err := b.store.NextDue(ctx)
	if err != nil || next.IsZero() {
		return 0, err
	}
	now, err := b.store.Now(ctx)
	return max(0, now.Sub(next)), err
}

// full reports whether due work was left in the store because no place was free.
func (h *holding) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.places.refused || h.places.late > 0
}

// overloaded returns the error for a start that got no place, or nil. most is Options.MaxLate.
func (h *holding) overloaded(most time.Duration) error {
	h.mu.Lock()
	late := h.places.late
	h.mu.Unlock()
	if late <= most {
		return nil
	}
	return store.Detailf(ErrOverloaded, "sessions have been due for %s, and this engine has no room", late.Round(time.Second))
}

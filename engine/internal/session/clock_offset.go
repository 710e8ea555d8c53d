package session

import (
	"sync/atomic"
	"time"
)

// A clockOffset is the store's clock minus this engine's clock, in nanoseconds. It is measured at
// the claim and adjusted at each checkpoint, because a session may be held for hours while the
// engine's clock is set or drifts.
type clockOffset struct{ atomic.Int64 }

func (o *clockOffset) get() time.Duration { return time.Duration(o.Load()) }

// adjust updates the offset from one reading of the store's clock, taken between two local times.
// The reading's precision is the round-trip time, so the offset moves only as far as the reading
// requires. Adopting each reading would let a session's time jump back after a slow commit.
func (o *clockOffset) adjust(asked, read, answered time.Time) {
	if read.IsZero() {
		return
	}
	least, most := read.Sub(answered), read.Sub(asked)
	o.Store(int64(min(max(o.get(), least), most)))
}

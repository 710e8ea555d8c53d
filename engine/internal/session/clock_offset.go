package session

import (
	"sync/atomic"
	"time"
)

// A clockOffset is the store's clock minus this engine's, in nanoseconds. It is taken at the
// claim and adjusted at each checkpoint: a session may be held for hours, while the engine's
// clock is set or drifts.
type clockOffset struct{ atomic.Int64 }

func (o *clockOffset) get() time.Duration { return time.Duration(o.Load()) }

// adjust takes account of a clock that the store read between two moments of ours. The offset
// is known only as well as the answer was quick, so it moves no further than it must: taking
// each reading as it comes would let the time of a session jump back after a slow commit.
func (o *clockOffset) adjust(asked, read, answered time.Time) {
	if read.IsZero() {
		return
	}
	least, most := read.Sub(answered), read.Sub(asked)
	o.Store(int64(min(max(o.get(), least), most)))
}

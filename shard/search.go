package shard

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A search is a Claim under way on one database. A database that is slow does not hold up the
// others: a Claim of the Store waits for it only for a while, and what it has claimed by then is
// returned by the next one. Dropping it instead would leave these sessions until their leases end.
type search struct {
	done    chan struct{}
	share   int
	claimed []store.Claimed
	err     error
	began   time.Time
}

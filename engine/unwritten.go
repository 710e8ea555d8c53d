package engine

import "time"

// unwritten is what has happened in a session since its last checkpoint.
type unwritten struct {
	dirty      bool
	closing    bool // closes a question other than by its answer
	visits     int
	bytes      int
	since      time.Time
	all        []*Execution // every visit that ended, whatever the level of history
	executions []*Execution // those the history keeps
	messages   []Message
	results    []attemptResult // of calls that have ended, for word of them should the lease be lost
	applied    []RequestOutcome
	blobs      []Blob
	drop       []string
	stored     []StoredResult // of rounds
	children   []NewSession
	events     []notedEvent
}

// Bounds at which pure steps that follow one another close their checkpoint.
const (
	checkpointVisits = 64
	checkpointBytes  = 256 << 10
	checkpointAge    = 50 * time.Millisecond
)

func (u *unwritten) touch() {
	if !u.dirty {
		u.dirty = true
		u.since = time.Now()
	}
}

// full tells whether the checkpoint has to be closed now.
func (u *unwritten) full(now time.Time) bool {
	return u.dirty && (u.visits >= checkpointVisits || u.bytes >= checkpointBytes || now.Sub(u.since) >= checkpointAge && !u.since.IsZero())
}

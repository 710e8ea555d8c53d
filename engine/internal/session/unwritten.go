package session

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// unwritten is what has happened in a session since its last checkpoint.
type unwritten struct {
	dirty      bool
	closing    bool                    // refused while requests are unread, see Checkpoint.Closing
	answered   map[string]state.AskRef // questions closed by their answer, by step
	cancels    []cancelledCall         // calls to be told to stop once this is written
	starting   []*attempt              // calls that may start once this is written
	visits     int
	bytes      int
	since      time.Time
	all        []*store.Execution // every visit that ended, whatever the level of history
	executions []*store.Execution // those the history keeps
	messages   []function.Message
	results    []attemptResult // of calls that have ended: they have happened, whatever becomes of the rest
	notified   bool            // the notices of the last checkpoint were sent: this has happened too
	applied    []store.RequestOutcome
	blobs      []store.Blob
	drop       []string
	stored     []store.StoredResult // of rounds
	children   []store.NewSession
	events     []event.Noted
}

// A cancelledCall is a call under way that a decision has ended. It is told to stop only when
// the decision is written: a refused decision must not have stopped it.
type cancelledCall struct {
	attempt *attempt
	cause   error
}

// answer notes that a question was closed by its answer.
func (u *unwritten) answer(step string, ref state.AskRef) {
	if u.answered == nil {
		u.answered = map[string]state.AskRef{}
	}
	u.answered[step] = ref
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

package session

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/event"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/state"
	"github.com/stepgraph/stepgraph/engine/store"
)

// unwritten is the content of the next checkpoint: what happened in a session since the last one.
type unwritten struct {
	dirty      bool
	closing    bool                    // the store refuses the checkpoint while requests are unread, see Checkpoint.Closing
	answered   map[string]state.AskRef // questions closed by their answer, by step
	cancels    []cancelledCall         // calls to stop once the checkpoint is written
	starting   []*attempt              // calls that may start once the checkpoint is written
	visits     int
	bytes      int
	since      time.Time
	all        []*store.Execution // every visit that ended, at any history level
	executions []*store.Execution // those that the history level keeps
	messages   []function.Message
	results    []attemptResult // results of calls that have ended; they stay valid if the checkpoint is refused
	notified   bool            // the notices of the last checkpoint were sent; stays true if this checkpoint is refused
	applied    []store.RequestOutcome
	blobs      []store.Blob
	drop       []string
	stored     []store.StoredResult // of rounds
	children   []store.NewSession
	events     []event.Noted
}

// A cancelledCall is a call under way that a decision has ended. It is cancelled only when the
// decision is written, because the store may still refuse the decision.
type cancelledCall struct {
	attempt *attempt
	cause   error
}

// answer records that a question was closed by its answer.
func (u *unwritten) answer(step string, ref state.AskRef) {
	if u.answered == nil {
		u.answered = map[string]state.AskRef{}
	}
	u.answered[step] = ref
}

// Limits at which a series of pure steps writes a checkpoint.
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

// full reports whether the checkpoint has to be written now.
func (u *unwritten) full(now time.Time) bool {
	return u.dirty && (u.visits >= checkpointVisits || u.bytes >= checkpointBytes || now.Sub(u.since) >= checkpointAge && !u.since.IsZero())
}

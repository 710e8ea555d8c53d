package store

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
)

// A Checkpoint is the one write that records what a session's steps have done: state,
// scalars, history and messages together, or nothing at all. It is applied when the
// session still has Version and Lease (and, if Closing, no request above Seen).
//
// Sending the same checkpoint again is harmless: the store knows it by Transition.
type Checkpoint struct {
	Session    string
	Version    int64  // as read; the checkpoint makes it Version+1
	Lease      string // token
	Transition string
	// Closing: this ends the session, or closes a question other than by its answer. It
	// is refused while the inbox is above Seen, so that an acknowledged request always
	// comes before an end that had not seen it.
	Closing bool
	Seen    int64 // inbox number up to which requests have been applied

	State         []byte // nil leaves the stored text as it is (a state that does not parse)
	Counters      []byte
	Status        string
	Awaiting      []byte // JSON text of []Waiting; nil removes the property
	AwaitingSince time.Time
	// Tried is, of a pending session, the hash of the definition that its steps were tried
	// with: trying them again with the same one changes nothing, see WakePending.
	Tried string

	// Release gives the lease up. The session is then due at DueAt (zero: never), or at
	// once when its inbox is above Seen. Without Release the lease is extended by
	// LeaseFor and due_at is its end; with a LeaseFor of 0 both stay as they are.
	Release  bool
	DueAt    time.Time
	LeaseFor time.Duration

	Records
	Children []NewSession // created with the checkpoint; CHILD_OF this session
	// ToParent, set by the checkpoint that ends a child, is put into the parent's inbox
	// in the same transaction, both sessions locked in id order; the parent becomes due.
	ToParent *Request
	// Received, if set, comes from outside and is written with the checkpoint that applies it.
	Received *Arrival
}

// An Arrival is a request of a session at rest that is written together with what the session does
// in answer to it, in place of a delivery and a checkpoint. Such a checkpoint has another guard:
// the session has Version and no lease, its inbox is at Seen-1, and it has no request with this
// key or target. Otherwise it is Lost, and the request has to be delivered. It takes the
// lease for Owner, unless Release, and has Records for executions and messages only.
type Arrival struct {
	Request        // Key, Target, Kind, Step, Visit, Ask, Body, BodyHash, By and Outcome; the store fills in the rest
	Owner   string // of the lease
}

// As returns the request as a store writes it.
func (a *Arrival) As(c *Checkpoint, now time.Time) Request {
	q := a.Request
	q.ID, q.Session, q.N, q.At, q.Applied = c.Session+"/"+q.Key, c.Session, c.Seen, now, true
	return q
}

// Records are what a checkpoint adds to what the store keeps of its session.
type Records struct {
	Executions []Execution
	Messages   []function.Message
	Applied    []RequestOutcome // requests of the inbox
	Blobs      []Blob           // texts of large outputs
	DropBlobs  []string         // hashes no output holds any more
	Results    []StoredResult   // outputs of rounds of containers
}

// RequestOutcome marks a request as applied.
type RequestOutcome struct {
	ID      string
	Outcome string
}

// CommitOutcome says what became of one checkpoint.
type CommitOutcome int

// Outcomes of a checkpoint.
const (
	Lost      CommitOutcome = iota // version or lease did not match: not written
	Committed                      // written now
	Again                          // was already there: an earlier sending had been written
	Refused                        // Closing, and the inbox is above Seen: not written, lease kept
)

// A CommitResult is the outcome of one checkpoint, in the order they were given.
type CommitResult struct {
	Outcome CommitOutcome
	Inbox   int64     // the session's inbox number after it; meaningless for Lost
	Now     time.Time // the store's clock; of a Committed checkpoint, the session's UpdatedAt
}

// Size estimates the bytes a checkpoint writes; committers bound their batches by it.
func (c *Checkpoint) Size() int {
	n := len(c.State) + len(c.Counters) + len(c.Awaiting) + 256
	for i := range c.Executions {
		e := &c.Executions[i]
		n += len(e.Input) + len(e.Output) + len(e.Error) + len(e.Paths) + 256
	}
	for i := range c.Messages {
		n += len(c.Messages[i].Content) + 64
	}
	for i := range c.Blobs {
		n += len(c.Blobs[i].Text)
	}
	for i := range c.Results {
		n += len(c.Results[i].Output)
	}
	for i := range c.Children {
		n += len(c.Children[i].State) + 256
	}
	if c.Received != nil {
		n += len(c.Received.Body) + 256
	}
	return n
}

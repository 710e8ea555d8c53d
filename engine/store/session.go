package store

import (
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"
)

// Statuses of a step and of a session, as stored. A session is never skipped; a step is
// never paused.
const (
	StatusActive        = "active"
	StatusPending       = "pending"
	StatusComplete      = "complete"
	StatusError         = "error"
	StatusAwaitingInput = "awaiting_input"
	StatusSkipped       = "skipped"
	StatusCancelled     = "cancelled"
	StatusPaused        = "paused"
)

// A SessionRecord is one SESSION as a store holds it: the exact text of the state and the scalar
// properties. Times are UTC; the zero time means that the property is absent.
type SessionRecord struct {
	ID        string
	Workflow  string
	State     []byte // JSON text, exactly as stored
	Counters  []byte // JSON text, see counters; empty on a session made by hand
	Status    string // empty on a session made by hand
	Version   int64  // grows by one with each checkpoint
	CreatedAt time.Time
	UpdatedAt time.Time
	// Awaiting is JSON text: a list of Waiting; empty when nothing waits. AwaitingSince
	// is when the longest open question was asked.
	Awaiting      []byte
	AwaitingSince time.Time
	Root          string            // the topmost session this one descends from; itself for most
	Labels        map[string]string // set at the start, for filters
	Inbox         int64             // number of the newest request taken

	Lease      string // token; empty when the lease is free
	LeaseOwner string
	LeaseUntil time.Time
	DueAt      time.Time
	Transition string // id of the newest checkpoint
	Claims     int    // claims since the last checkpoint or request
}

// Waiting is one open question in SESSION.awaiting.
type Waiting struct {
	Step  string `json:"step"`
	Visit int    `json:"visit"`
	Ask   int    `json:"ask"`
	Kind  string `json:"kind"`
	Since int64  `json:"since"` // ms
}

// A NewSession is a session to be created: not leased, due at once.
type NewSession struct {
	ID       string
	Workflow string
	State    []byte
	Counters []byte
	Status   string
	Root     string
	Parent   string // CHILD_OF; "" for none
	Labels   map[string]string
	// ConcurrencyKey is the value by which the limits of the workflow hold; see Turns.
	ConcurrencyKey string
	// Key makes the start idempotent: a second create with the same key returns the first
	// session, or ErrKeyReused when BodyHash differs. "" for none.
	Key      string
	BodyHash string
	// Claim, if set, leases the session to this engine in the same write.
	Claim *Lease
}

// Made reports whether rec, which has the id of n, was created by an earlier sending of n whose
// answer was lost: no other creation has the token of its claim.
func (n *NewSession) Made(rec *SessionRecord) bool {
	return n.Claim != nil && n.Claim.Token == rec.Lease
}

// An Execution is the record of one ended attempt at a step. JSON fields are JSON text.
type Execution struct {
	ID         string          `json:"id"` // session/seq
	Session    string          `json:"session"`
	Seq        int64           `json:"seq"`
	Workflow   string          `json:"workflow"`
	Step       string          `json:"step"`
	Visit      int             `json:"visit"`
	Attempt    int             `json:"attempt"`
	Status     string          `json:"status"` // complete, answered, error, cancelled, lost
	Function   string          `json:"function,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`  // as resolved; cut above 16 KB
	Output     json.RawMessage `json:"output,omitempty"` // cut above 16 KB
	Error      json.RawMessage `json:"error,omitempty"`  // {kind, message, transient}
	Paths      json.RawMessage `json:"paths,omitempty"`  // [{path, open, clauses}] as evaluated after it
	Usage      json.RawMessage `json:"usage,omitempty"`
	Parent     string          `json:"parent,omitempty"` // EXECUTION of the agent's round that called it as a tool
	StartedAt  time.Time       `json:"started_at"`
	FinishedAt time.Time       `json:"finished_at"`
	Definition string          `json:"definition,omitempty"` // hash, see Definition
	Reads      []Lineage       `json:"reads,omitempty"`
	Took       []Lineage       `json:"took,omitempty"`
}

// Statuses only an Execution has.
const (
	StatusRound    = "round" // one round of an agent: what its model said
	StatusAnswered = "answered"
	StatusLost     = "lost"
)

// Lineage points from an execution to an earlier one of the same session: for READ the
// execution whose output Label (a reference) gave, for TOOK the execution after which the
// path Label led here. READ is stored as (this)-[:READ {reference}]->(other), TOOK as
// (other)-[:TOOK {path}]->(this). A store skips a relation whose other end is not there
// (history may have been off then).
type Lineage struct {
	Execution string `json:"execution"` // session/seq
	Label     string `json:"label"`
}

// A Blob is an output too large for the state.
type Blob struct {
	Session string
	Hash    string
	Text    []byte
}

// A StoredResult is the output of one round of a container.
type StoredResult struct {
	Session string
	Step    string
	Visit   int
	Index   int
	Output  []byte
}

// Retried reports whether the execution is an attempt that failed and was to be made again: it
// is not the end of its visit.
func (x *Execution) Retried() bool {
	return x.Status == StatusError && gjson.GetBytes(x.Error, "retried").Bool()
}

// Waits returns SESSION.awaiting as a list, empty for a text that does not parse.
func (rec *SessionRecord) Waits() []Waiting {
	var list []Waiting
	if len(rec.Awaiting) > 0 {
		_ = json.Unmarshal(rec.Awaiting, &list)
	}
	return list
}

// Cursor is where the page after this session begins, in a list of the newest first or of those
// that wait longest.
func (rec *SessionRecord) Cursor(oldestWaiting bool) Cursor {
	if oldestWaiting {
		return Cursor{At: rec.AwaitingSince, ID: rec.ID}
	}
	return Cursor{At: rec.CreatedAt, ID: rec.ID}
}

// Ended reports whether a session of this status has come to an end.
func Ended(status string) bool {
	return status == StatusComplete || status == StatusCancelled || status == StatusError
}

// A Claimed session is leased to the caller. Now is the store's clock, read after the
// lock was taken. Requests are those of its inbox that are not applied yet, in order;
// they may be more than one claim's worth (see Store.Requests).
type Claimed struct {
	Session  SessionRecord
	Requests []Request
	Now      time.Time
}

// A SessionQuery filters sessions. Zero fields do not filter.
type SessionQuery struct {
	IDs           []string
	Status        []string // "" among them means sessions without a status (made by LUNA or by hand)
	Workflow      string
	Workflows     []string // of one of these workflows; an id that ends in * is a prefix
	Awaiting      bool     // only those with an open question
	Step          string   // with a question open at this step
	Text          string   // contained in the state's text
	Labels        map[string]string
	Root          string
	CreatedBefore time.Time
	CreatedAfter  time.Time
	WaitingBefore time.Time // open question asked before this
	OldestWaiting bool      // order: awaiting_since, then id, ascending
	After         Cursor    // the last row of the page before
	Limit         int       // rows; 0 means 50
	WithState     bool
}

package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
)

// What callers decide on. The api package answers each with one problem type.
var (
	ErrSessionNotFound  = errors.New("session not found")
	ErrWorkflowNotFound = errors.New("workflow not found")
	ErrStepNotFound     = errors.New("step not found")
	ErrPathNotFound     = errors.New("path not found")
	ErrBatchNotFound    = errors.New("batch not found")
	ErrNoEntry          = errors.New("no entry step")
	ErrNoOpenQuestion   = errors.New("no open question")
	ErrAlreadyAnswered  = errors.New("already answered")
	ErrKeyReused        = errors.New("key reused with another body")
	ErrAnswerInvalid    = errors.New("answer does not fit the question")
	ErrSessionExists    = errors.New("session exists")
	ErrSessionBusy      = errors.New("session is busy")
	ErrSessionEnded     = errors.New("session has ended")
	ErrSignalsFull      = errors.New("too many unheard signals")
	ErrVersionMismatch  = errors.New("version mismatch")
	ErrTooLarge         = errors.New("too large")
	ErrBadRequest       = errors.New("bad request")
	ErrOverloaded       = errors.New("overloaded")

	// ErrLeaseLost: another worker holds the session, or it changed under us.
	ErrLeaseLost = errors.New("lease lost")
	// ErrUnavailable: the store cannot be reached; the same call may be made again.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnknownOutcome: a write was sent and its answer lost. Sending the same rows
	// again settles it.
	ErrUnknownOutcome = errors.New("outcome of the write unknown")
	// ErrStoreSlow: the store did not answer within the time a call may take. It comes with
	// ErrUnavailable or ErrUnknownOutcome. Writes of many rows are tried with fewer.
	ErrStoreSlow = errors.New("store too slow")
	// ErrNoLeader: the servers of the store's cluster answer, and none of them takes writes. It comes
	// with ErrUnavailable: work continues once they have elected a leader.
	ErrNoLeader = errors.New("the cluster has no leader")
	// ErrReadOnly: the database answers and takes no writes, by its configuration. It comes with
	// ErrUnavailable: work continues once it takes them.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrDiskFull: nothing can be written because the disk is full. It is wrapped together with
	// ErrUnavailable: work continues once there is space.
	ErrDiskFull = errors.New("store full")
	// ErrSchema: the database lacks a migration, or has one that this version does not work beside;
	// a *SchemaError has the numbers. A refused write wraps it together with ErrUnavailable: work
	// continues once database and version fit each other.
	ErrSchema = errors.New("schema of the store")
	// ErrStoreDamaged: stored data cannot be read. The error is permanent.
	ErrStoreDamaged = errors.New("store damaged")
	// ErrNotOnThisStore: the store has no such ability (graph queries on the embedded one).
	ErrNotOnThisStore = errors.New("not on this store")
)

// A DetailError is a sentinel with details for people: a sentence, and depending on the error
// the invalid positions, the existing alternatives, or what was accepted before.
type DetailError struct {
	Err      error // one of the sentinels above
	Detail   string
	Faults   []graph.Fault
	Exists   []string           // names that exist, for a not found
	Problems []function.Problem // for ErrWorkflowInvalid
	Accepted *Accepted          // for ErrAlreadyAnswered
}

func (e *DetailError) Error() string {
	text := e.Err.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	for i, f := range e.Faults {
		if i == 0 {
			text += ": "
		} else {
			text += "; "
		}
		text += strings.TrimSpace(f.Pointer + " " + f.Message)
	}
	if len(e.Exists) > 0 {
		text += " (there is: " + strings.Join(e.Exists, ", ") + ")"
	}
	return text
}

func (e *DetailError) Unwrap() error { return e.Err }

// Detailf builds a DetailError of a sentinel and a sentence.
func Detailf(sentinel error, format string, args ...any) *DetailError {
	return &DetailError{Err: sentinel, Detail: fmt.Sprintf(format, args...)}
}

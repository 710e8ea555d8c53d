package store

import (
	"context"
	"time"
)

// A Divided store consists of several databases. A caller that puts many rows into one call makes
// a call for each database, so that one that is slow or gone delays no rows of the others.
type Divided interface {
	// DatabaseOfSession names the database of a session, and that of any for a session that does
	// not exist. ErrUnavailable if the session may be in a database that does not answer.
	DatabaseOfSession(ctx context.Context, id string) (string, error)
	// DatabaseOfNew names the database that a new session comes into: that of its parent, its root,
	// or its workflow.
	DatabaseOfNew(ctx context.Context, n *NewSession) (string, error)
	// DatabaseOfWorkflow names the database of a workflow.
	DatabaseOfWorkflow(id string) string
	// Databases asks each for an answer.
	Databases(ctx context.Context) []DatabaseState
	// DatabaseUse says how each has been used since the store was opened. It asks none of them.
	DatabaseUse() []DatabaseUse
}

// A DatabaseState says how one database is.
type DatabaseState struct {
	Name  string
	Store string // as its Describe says
	Err   error  // why it does not answer
}

// DatabaseUse says how one database has been used.
type DatabaseUse struct {
	Name   string
	Away   bool // it is left out of what runs by itself until it answers
	Calls  uint64
	Failed uint64        // of these, because the database could not be reached or took no writes
	Took   time.Duration // all calls together
}

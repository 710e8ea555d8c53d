package store

import "context"

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
}

// A DatabaseState says how one database is.
type DatabaseState struct {
	Name  string
	Store string // as its Describe says
	Err   error  // why it does not answer
}

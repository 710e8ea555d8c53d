package state

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

// An Error is a SESSION.state that cannot be read: an error of that session, never
// overwritten.
type Error struct {
	Session string
	Detail  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("session %s: state: %s", e.Session, e.Detail)
}

// detail builds a DetailError from a format.
func detail(sentinel error, format string, args ...any) error {
	return &store.DetailError{Err: sentinel, Detail: fmt.Sprintf(format, args...)}
}

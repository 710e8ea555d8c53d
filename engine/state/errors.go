package state

import "fmt"

// An Error is a SESSION.state that cannot be read: an error of that session, never
// overwritten.
type Error struct {
	Session string
	Detail  string
}

func (e *Error) Error() string {
	return fmt.Sprintf("session %s: state: %s", e.Session, e.Detail)
}

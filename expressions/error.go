package expressions

import "fmt"

// An Error says why an expression cannot be read, or came to no value.
type Error struct {
	// Column counts characters from 1; it is where the part begins that is at fault.
	Column int
	// Reason says what is wrong there.
	Reason string
	// Forbidden tells that Python would read this, and that it is not allowed here: lambda and
	// the like. A name that is not known is not, as only whoever gives the names knows them.
	Forbidden bool
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Reason) }

// A fault is an error whose place is not known yet: whoever knows the part of the
// expression puts it there.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) error { return fault(fmt.Sprintf(format, args...)) }

// placed gives a fault its place.
func placed(err error, column int) error {
	if f, ok := err.(fault); ok {
		return &Error{Column: column, Reason: string(f)}
	}
	return err
}

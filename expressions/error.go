package expressions

import "fmt"

// An Error says why an expression cannot be read, or has no value.
type Error struct {
	// Column is where the faulty part begins, in characters from 1.
	Column int
	// Reason says what is wrong there.
	Reason string
	// Forbidden reports that the part is valid Python that this package does not support:
	// lambda, attributes, format specifications and the like. It is false for an unknown name,
	// because only the caller knows the names.
	Forbidden bool
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Reason) }

// A fault is an error whose place is not known yet. The node that knows its column adds it.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) error { return fault(fmt.Sprintf(format, args...)) }

// placed gives a fault its column.
func placed(err error, column int) error {
	if f, ok := err.(fault); ok {
		return &Error{Column: column, Reason: string(f)}
	}
	return err
}

// unsupported is the error for a part of Python that this package leaves out.
func unsupported(column int, what string) error {
	return &Error{Column: column, Reason: what, Forbidden: true}
}

package native

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// An Error is what is wrong with a file. Pointer (RFC 6901) names the value; Line and Col
// count from 1, Col in bytes.
type Error struct {
	File    string
	Line    int
	Col     int
	Pointer string
	Text    string
}

// Error gives FILE:LINE:COL: pointer: text, without the pointer where it is the whole file.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Line, e.Col, e.Pointer, e.Text)
}

// Errors are all that is wrong with a file, in the order of the file. Each is an *Error.
type Errors []error

// Error gives one line for each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap makes errors.As find the first *Error.
func (e Errors) Unwrap() []error { return e }

// mostErrors is how many errors of one file are reported: after that many, the file is not
// what its reader takes it for.
const mostErrors = 50

// faults collects the errors of a file. The zero value is ready.
type faults struct{ list Errors }

func (f *faults) add(err error) {
	if err != nil && len(f.list) < mostErrors {
		f.list = append(f.list, err)
	}
}

// err is nil, the one error, or all of them by line and column.
func (f *faults) err() error {
	switch len(f.list) {
	case 0:
		return nil
	case 1:
		return f.list[0]
	}
	sort.SliceStable(f.list, func(i, j int) bool {
		var a, b *Error
		if !errors.As(f.list[i], &a) || !errors.As(f.list[j], &b) {
			return false
		}
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	return f.list
}

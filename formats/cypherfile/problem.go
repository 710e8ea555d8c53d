package cypherfile

import "fmt"

// An Error is the first place in a file that cannot be read or run. Line and Col count
// from 1, Col in characters.
type Error struct {
	File string
	Line int
	Col  int
	Text string
}

// Error gives FILE:LINE:COL: text.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Text)
}

// A fault is an Error before its place is known in lines: at counts characters of the
// decoded source.
type fault struct {
	at   int
	text string
}

func (f *fault) Error() string { return f.text }

func faultf(at int, format string, args ...any) error {
	return &fault{at: at, text: fmt.Sprintf(format, args...)}
}

// refused is the fault of everything that is Cypher but does not belong in these files.
func refused(at int, what string) error {
	return faultf(at, "%s is not part of workflow files; they are written with CREATE, MERGE, MATCH, SET, REMOVE, DELETE, WITH and RETURN", what)
}

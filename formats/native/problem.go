package native

import "fmt"

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

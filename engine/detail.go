package engine

import "fmt"

// detail builds a DetailError from a format.
func detail(sentinel error, format string, args ...any) *DetailError {
	return &DetailError{Err: sentinel, Detail: fmt.Sprintf(format, args...)}
}

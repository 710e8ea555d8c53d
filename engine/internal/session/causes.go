package session

import "errors"

// ErrLost ends a runner whose lease another worker has taken.
var ErrLost = errors.New("another worker holds the session")

// ErrStopped is the cause with which an engine ends what it started.
var ErrStopped = errors.New("engine stopped")

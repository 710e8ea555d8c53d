package session

import "errors"

// ErrLost is the error of a runner whose lease another worker has taken.
var ErrLost = errors.New("another worker holds the session")

// ErrStopped is the cancellation cause when an engine stops its sessions and calls.
var ErrStopped = errors.New("engine stopped")

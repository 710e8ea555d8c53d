package store

import "context"

// A Finding is one result of a check of a store, its workflows and its sessions, with
// the command that mends it.
type Finding struct {
	Level   string `json:"level"` // ok, warning, error
	Code    string `json:"code"`
	Message string `json:"message"`
	Mend    string `json:"mend,omitempty"`
}

// A Checker is a store that can look for faults of its own: missing indexes, orphans,
// duplicates. It may scan.
type Checker interface {
	Check(ctx context.Context) ([]Finding, error)
}

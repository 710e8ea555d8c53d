package store

import "time"

// A Cursor is the sort key of a row.
type Cursor struct {
	At time.Time // created_at, or awaiting_since for OldestWaiting and DescendantQuery.Awaiting
	ID string
}

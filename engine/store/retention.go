package store

import (
	"context"
	"errors"
	"time"
)

// Retention removes sessions that have ended, each with all its child sessions, and lets
// engines agree on who does so.
type Retention interface {
	// OldestSessions reads at most limit sessions, oldest first (created_at, then id), from the
	// cursor on, without state, and returns all it read. It does not filter: the number of rows
	// it reads is bounded however few of them the caller may remove.
	OldestSessions(ctx context.Context, after Cursor, limit int) ([]SessionRecord, error)
	// RemoveFamily removes the marked sessions with all that DeleteSession removes. It first
	// checks all of them under their locks: Changed when one is not as marked (its version or
	// inbox differs), is due or leased; InBatch when a batch that collects, pins or runs
	// has an open item of one. Then nothing is written. Sessions that are not there count as
	// removed before.
	//
	// One call removes a bounded number of rows. Partly means that there is more: from then on
	// none of the sessions can be claimed, takes a request or can be edited, also after a
	// restart, and a call with the same marks goes on. The sessions go in the order of the marks.
	RemoveFamily(ctx context.Context, marks []SessionMark) (Removal, error)
	// TakeDuty gives the caller a named duty of the whole store for a time, as long as nobody
	// else has it; the owner of a duty extends it so. for = 0 gives it back. It reports whether
	// the caller has it. So several engines agree who does what only one should do.
	TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error)
}

// A SessionMark is a session as somebody has read it.
type SessionMark struct {
	ID      string `json:"id"`
	Version int64  `json:"version"`
	Inbox   int64  `json:"inbox"`
}

// Mark returns the session's mark.
func (rec *SessionRecord) Mark() SessionMark {
	return SessionMark{ID: rec.ID, Version: rec.Version, Inbox: rec.Inbox}
}

// A Removal says what RemoveFamily did.
type Removal string

// What RemoveFamily does.
const (
	Removed Removal = "removed"
	Partly  Removal = "partly"
	Changed Removal = "changed"
	InBatch Removal = "in_batch"
)

// ErrDutyTaken: another engine or command does what only one may do at a time.
var ErrDutyTaken = errors.New("somebody else is at it")

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
	// RemoveFamily removes the marked sessions with everything that DeleteSession removes. It
	// first checks all of them under their locks. The result is Changed if the version or inbox
	// of a session differs from its mark, or a session is due or leased, and InBatch if a batch
	// that collects, pins or runs has an open item of one. In both cases nothing is written.
	// Sessions that do not exist count as already removed.
	//
	// One call removes a bounded number of rows. The result Partly means that rows are left:
	// from then on none of the sessions can be claimed, edited or receive requests, also after a
	// restart, and a call with the same marks continues. Sessions are removed in the order of
	// the marks.
	RemoveFamily(ctx context.Context, marks []SessionMark) (Removal, error)
	// TakeDuty gives the caller a named duty of the whole store for a time, unless another owner
	// has it; the owner of a duty extends it with the same call. for = 0 releases it. It reports
	// whether the caller has the duty. Several engines use it for work that only one of them
	// should do.
	TakeDuty(ctx context.Context, name, owner string, d time.Duration) (bool, error)
}

// A SessionMark identifies a session with the version and inbox number that the caller has read.
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

package store

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Retention removes sessions that have ended, each with all its child sessions, and lets
// engines agree on who does so.
type Retention interface {
	// OldestSessions reads at most limit sessions, oldest first (created_at, then id), from the
	// cursor on, without state, and returns all it read. It does not filter: the number of rows
	// it reads is bounded however few of them the caller may remove.
	OldestSessions(ctx context.Context, after Cursor, limit int) ([]SessionRecord, error)
	// Parents returns those of the ids that have sessions below them (Descendants), in no order.
	Parents(ctx context.Context, ids []string) ([]string, error)
	// RemoveFamilies removes families of marked sessions, no session in two of them, with everything
	// that DeleteSession removes, and returns an outcome for each. It first checks a family under the
	// locks of its sessions. The outcome is Changed if the version or inbox of a session differs from
	// its mark, or a session is due or leased, and InBatch if a batch that collects, pins or runs has
	// an open item of one. In both cases nothing of the family is written. Sessions that do not exist
	// count as already removed.
	//
	// One call is one transaction and removes a bounded number of rows. The outcome Partly means that
	// rows of a family are left: from then on none of its sessions can be claimed, edited or receive
	// requests, also after a restart, and a call with the same marks continues. An empty outcome means
	// that the call did not come to the family; it came to the first one at least. Between two calls,
	// sessions are removed in the order of the marks.
	RemoveFamilies(ctx context.Context, families [][]SessionMark) ([]Removal, error)
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

// Reach returns how many families one call of RemoveFamilies comes to: as many as have at most so
// many sessions together, and one at least.
func Reach(families [][]SessionMark, sessions int) int {
	for i := range families {
		if sessions -= len(families[i]); sessions < 0 {
			return max(i, 1)
		}
	}
	return len(families)
}

// OutcomeOf is the outcome of a family whose removal is about to begin: Changed or InBatch if a session
// of it is in one of the lists, else Removed.
func OutcomeOf(family []SessionMark, changed, inBatch []string) Removal {
	for _, list := range []struct {
		ids     []string
		outcome Removal
	}{{changed, Changed}, {inBatch, InBatch}} {
		if slices.ContainsFunc(family, func(m SessionMark) bool { return slices.Contains(list.ids, m.ID) }) {
			return list.outcome
		}
	}
	return Removed
}

// A Removal says what RemoveFamilies did with a family.
type Removal string

// What RemoveFamilies does.
const (
	Removed Removal = "removed"
	Partly  Removal = "partly"
	Changed Removal = "changed"
	InBatch Removal = "in_batch"
)

// ErrDutyTaken: another engine or command does what only one may do at a time.
var ErrDutyTaken = errors.New("somebody else is at it")

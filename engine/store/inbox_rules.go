package store

import (
	"fmt"
	"time"
)

// The rules by which a store changes a session for a request from outside. They are pure
// functions of the record under its lock, so that every store decides the same.

// Held reports whether a worker holds a lease of the session that has not run out.
func (rec *SessionRecord) Held(now time.Time) bool {
	return rec.Lease != "" && rec.LeaseUntil.After(now)
}

// Take changes the session's lease and due time for a delivery; wrote says whether Decide
// returned a request. It reports whether the caller now holds the lease, and whether the session
// has changed.
//
// If the session is not leased, a request makes it due at once and resets its claims, or, with
// Claim, the session is leased to the caller. If the session already has the token of Claim, an
// earlier attempt of the same delivery leased it and its response was lost: the caller holds the
// lease, and the lease is renewed from now, whether this attempt writes a request or not.
// Without the renewal the caller could get a lease that is about to expire.
func (d *Delivery) Take(rec *SessionRecord, wrote bool, now time.Time) (claimed, changed bool) {
	again := d.Claim != nil && d.Claim.Token != "" && rec.Lease == d.Claim.Token
	switch {
	case again, wrote && d.Claim != nil && !rec.Held(now) && (d.Unclaimed == nil || !d.Unclaimed(rec.Workflow)):
		rec.Lease, rec.LeaseOwner, rec.Claims = d.Claim.Token, d.Claim.Owner, 1
		rec.LeaseUntil = now.Add(d.Claim.For.Truncate(time.Microsecond)) // the stores' precision
		rec.DueAt = rec.LeaseUntil
		return true, true
	case wrote && !rec.Held(now):
		rec.DueAt, rec.Claims = now, 0
		return false, true
	}
	return false, false
}

// Refuse returns why a store must not make the edit, or nil: ErrSessionBusy while a worker
// holds the session or a request is unread, ErrVersionMismatch. An edit that passed an unread
// request would take away what the request was accepted for: an answer was acknowledged
// because its question was open, and the edited state may not have that question.
func (edit *StateEdit) Refuse(rec *SessionRecord, now time.Time) error {
	switch {
	case rec.Held(now):
		return fmt.Errorf("session %s: %w by %s until %s", rec.ID, ErrSessionBusy, rec.LeaseOwner, rec.LeaseUntil.Format("15:04:05"))
	case rec.Version != edit.Version:
		return fmt.Errorf("session %s: %w: it is %d, the edit is of %d", rec.ID, ErrVersionMismatch, rec.Version, edit.Version)
	case rec.Inbox > edit.Seen:
		return &DetailError{Err: ErrSessionBusy, Detail: fmt.Sprintf("session %s has requests that are not applied yet (%d of %d); read the state again and repeat the edit", rec.ID, rec.Inbox-edit.Seen, rec.Inbox)}
	}
	return nil
}

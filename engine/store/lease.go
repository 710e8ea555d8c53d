package store

import "time"

// A Lease lets one engine advance one session. It expires by itself, so a dead engine blocks a
// session for at most its length. Writes are guarded by Token (and the version), never by the
// time: an engine that was suspended past the end of its lease finds its checkpoints refused.
type Lease struct {
	Token string        // fresh for each claim
	Owner string        // the engine, for people
	For   time.Duration // lease_until becomes the store's now + For, taken after the lock
}

// A LeaseRef names a lease that an engine holds.
type LeaseRef struct {
	Session string
	Token   string
}

// ClaimOptions say what Claim may take.
type ClaimOptions struct {
	Owner string
	For   time.Duration
	Limit int // at most this many sessions
	// Skip are workflows of which Claim takes no session. ClaimByID ignores it.
	Skip []string
	// Among, if not nil, are the only sessions that Claim may take.
	Among []string
	// Except are sessions that Claim leaves to other engines.
	Except []string
	// Token gives a fresh token for each claim.
	Token func() string
}

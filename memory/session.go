package memory

import (
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A session is one SESSION with its history, requests and blobs. record.State is never nil.
type session struct {
	record   store.SessionRecord
	parent   string
	children map[string]bool
	start    string // key it was started with
	bodyHash string // of that start
	key      string // concurrency key
	tried    string // definition of the newest checkpoint, see engine.Checkpoint.Tried

	executions []store.Execution  // by seq; lineage as given
	messages   []function.Message // by n
	requests   []store.Request    // by n, without gaps: requests[n-1]
	byKey      map[string]int     // index in requests
	byTarget   map[string]int
	blobs      map[string][]byte
	results    map[round][]byte
}

// A round names one RESULT of a session.
type round struct {
	step         string
	visit, index int
}

// lease gives the session to a caller and counts the claim.
func (x *session) lease(l store.Lease, now time.Time) {
	x.record.Lease, x.record.LeaseOwner = l.Token, l.Owner
	x.record.Claims++
	x.extend(now.Add(l.For))
}

// extend moves the end of the lease, and due_at with it. A session whose workers died several
// times in a row becomes due only some time after the end of the lease.
func (x *session) extend(until time.Time) {
	x.record.LeaseUntil = until
	x.record.DueAt = until.Add(pauseAfter(x.record.Claims))
}

// pauseAfter returns how long after its lease a session is left alone when its n-th claim in a row
// ended without a checkpoint: 1, 2, 4 … 64 s from the third claim on.
func pauseAfter(claims int) time.Duration {
	if claims < 3 {
		return 0
	}
	return time.Second << min(claims-3, 6)
}

// free takes the lease away.
func (x *session) free() {
	x.record.Lease, x.record.LeaseOwner, x.record.LeaseUntil = "", "", time.Time{}
}

// wake makes a session that no worker holds due at once.
func (x *session) wake(now time.Time) {
	if x.record.Held(now) {
		return
	}
	x.record.DueAt, x.record.Claims = now, 0
}

// receive numbers a request and puts it into the inbox.
func (x *session) receive(r store.Request, now time.Time) *store.Request {
	x.record.Inbox++
	r.Session, r.ID, r.N, r.At = x.record.ID, requestID(x.record.ID, r.Key), x.record.Inbox, now
	x.byKey[r.Key] = len(x.requests)
	if r.Target != "" {
		x.byTarget[r.Target] = len(x.requests)
	}
	x.requests = append(x.requests, cloneRequest(r))
	return &x.requests[len(x.requests)-1]
}

func requestID(session, key string) string { return session + "/" + key }

// request returns a copy of the request at an index, or nil.
func (x *session) request(index map[string]int, key string) *store.Request {
	i, ok := index[key]
	if !ok || key == "" {
		return nil
	}
	r := cloneRequest(x.requests[i])
	return &r
}

// unapplied returns the requests not marked applied, in order.
func (x *session) unapplied() []store.Request {
	var open []store.Request
	for i := range x.requests {
		if !x.requests[i].Applied {
			open = append(open, cloneRequest(x.requests[i]))
		}
	}
	return open
}

// claimed returns what a new holder of the lease receives.
func (x *session) claimed(now time.Time) store.Claimed {
	return store.Claimed{Session: cloneRecord(x.record), Requests: x.unapplied(), Now: now}
}

// sortedIDs returns the ids sorted and without duplicates; its argument is unchanged.
func sortedIDs(ids []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

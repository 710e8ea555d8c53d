package storetest

import (
	"fmt"
	"sync"

	"github.com/stepgraph/stepgraph/engine/store"
)

var closingCases = []testCase{
	{"refused while the inbox is above what was read", closingRefused},
	{"written once all is read", closingSeen},
	{"a stale closing row is lost, not refused", closingStale},
	{"together with other rows", closingMixed},
	{"a request is before the end or sees it", closingRace},
}

// closing is a checkpoint that ends a session.
func (k *kit) closing(r store.SessionRecord) store.Checkpoint {
	c := k.recorded(r)
	c.Closing, c.Release, c.Status = true, true, store.StatusComplete
	return c
}

func closingRefused(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "key", signal())
	want := k.session("a")
	c := k.closing(r)
	result := k.outcome(c, store.Refused)
	k.equal("inbox of the result", result.Inbox, int64(1))
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(r.ID, 0, 0)
	k.missing("a/child")
	k.outcome(c, store.Refused)
}

func closingSeen(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "key", signal())
	c := k.closing(r)
	k.outcome(c, store.Refused)
	c.Seen, c.Applied = 1, []store.RequestOutcome{{ID: r.ID + "/key", Outcome: "ended"}}
	k.outcome(c, store.Committed)
	got := k.session("a")
	k.equal("status", got.Status, store.StatusComplete)
	k.equal("never due", got.DueAt.IsZero(), true)
	k.historyLength(r.ID, 1, 1)
}

func closingStale(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "key", signal())
	c := k.closing(r)
	c.Lease = k.token()
	k.outcome(c, store.Lost)
	c = k.closing(r)
	c.Version = 4
	k.outcome(c, store.Lost)
}

func closingMixed(k *kit) {
	a, b := k.held("a"), k.held("b")
	k.deliver(a.ID, "key", signal())
	k.equal("outcomes", k.send(k.closing(a), k.closing(b)), []store.CommitOutcome{store.Refused, store.Committed})
}

// A holder ends a session while requests arrive: each of these was read before the end,
// or its Decide saw the end.
func closingRace(k *kit) {
	r := k.held("a")
	var mu sync.Mutex
	early := int64(0) // the highest number of a request whose Decide saw the session alive
	k.race(5, func(i int) error {
		if i == 0 {
			return k.closeWithReading(r)
		}
		return k.deliverWatching(r.ID, fmt.Sprintf("k%d", i), func(n int64) {
			mu.Lock()
			defer mu.Unlock()
			early = max(early, n)
		})
	})
	got := k.session("a")
	k.equal("status", got.Status, store.StatusComplete)
	var seen int64
	_, err := fmt.Sscanf(string(got.State), `{"seen":%d}`, &seen)
	k.noError(err)
	if early > seen {
		k.Errorf("request %d was taken while the session lived, but its end had read only up to %d", early, seen)
	}
	k.equal("due at once, if requests came after the end", !got.DueAt.IsZero(), got.Inbox > seen)
}

// closeWithReading ends a session as a holder does: refused, it reads and tries again.
func (k *kit) closeWithReading(r store.SessionRecord) error {
	c := k.closing(r)
	for {
		c.State = []byte(fmt.Sprintf(`{"seen":%d}`, c.Seen))
		results, err := k.store.Commit(k.ctx, []store.Checkpoint{c})
		if err != nil {
			return err
		}
		switch results[0].Outcome {
		case store.Committed:
			return nil
		case store.Refused:
			if results[0].Inbox <= c.Seen {
				return fmt.Errorf("refused with inbox %d though all up to %d was read", results[0].Inbox, c.Seen)
			}
			c.Seen = results[0].Inbox
		default:
			return fmt.Errorf("outcome %s", outcomeName(results[0].Outcome))
		}
	}
}

// deliverWatching delivers a request and tells its number if it was taken in time.
func (k *kit) deliverWatching(session, key string, taken func(n int64)) error {
	alive := false
	out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: session, Key: key,
		Decide: func(v store.InboxView) (*store.Request, error) {
			alive = v.Session.Status != store.StatusComplete
			request := signal()
			return &request, nil
		}}})
	if err != nil {
		return err
	}
	if out[0].Err == nil && alive {
		taken(out[0].Request.N)
	}
	return out[0].Err
}

package storetest

import (
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var dueCases = []testCase{
	{"released: when the session is due", dueReleased},
	{"not released: the lease goes on and is when it is due", dueKept},
	{"a session at rest that gets a request is due at once", dueAfterRequest},
	{"next due is not after one that is due", dueNext},
}

func dueReleased(k *kit) {
	future := k.now().Add(long).Truncate(time.Millisecond)
	for _, c := range []struct {
		name  string
		due   time.Time
		newer bool // a request above Seen
		want  string
	}{
		{"never", time.Time{}, false, "never"},
		{"timer", future, false, "future"},
		{"newer", time.Time{}, true, "now"},
		{"newer and timer", future, true, "now"},
	} {
		r := k.held(c.name)
		k.deliver(r.ID, "seen", signal())
		if c.newer {
			k.deliver(r.ID, "newer", signal())
		}
		row := k.checkpoint(r)
		row.Seen, row.Release, row.DueAt, row.LeaseFor = 1, true, c.due, 0
		k.commit(row)
		got := k.session(c.name)
		k.equal(c.name+": lease and owner", got.Lease+got.LeaseOwner, "")
		k.equal(c.name+": no lease_until", got.LeaseUntil.IsZero(), true)
		switch c.want {
		case "never":
			k.equal(c.name+": never due", got.DueAt.IsZero(), true)
		case "future":
			k.sameTime(c.name+": due_at", got.DueAt, future)
		case "now":
			k.near(c.name+": due_at", got.DueAt)
		}
	}
}

func dueKept(k *kit) {
	r := k.heldFor("a", time.Minute)
	c := k.checkpoint(r)
	c.DueAt = k.now()
	k.deliver(r.ID, "newer", signal())
	result := k.outcome(c, store.Committed)
	got := k.session("a")
	k.equal("lease and owner", got.Lease+got.LeaseOwner, r.Lease+r.LeaseOwner)
	k.sameTime("lease_until", got.LeaseUntil, result.Now.Add(long))
	k.sameTime("due_at", got.DueAt, got.LeaseUntil)
}

func dueAfterRequest(k *kit) {
	r := k.atRest("a")
	k.equal("never due", r.DueAt.IsZero(), true)
	k.deliver(r.ID, "key", signal())
	k.near("due_at", k.session("a").DueAt)
}

func dueNext(k *kit) {
	r := k.held("a")
	due := k.now().Add(time.Minute).Truncate(time.Millisecond)
	c := k.checkpoint(r)
	c.Release, c.DueAt = true, due
	k.commit(c)
	next, err := k.store.NextDue(k.ctx)
	k.noError(err)
	if next.IsZero() || next.After(due) {
		k.Errorf("next due is %v though a session is due at %v", next, due)
	}
}

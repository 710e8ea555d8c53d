package storetest

import (
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

var deliverClaimCases = []testCase{
	{"takes a free lease, in the same write", deliverClaims},
	{"takes one that ran out", deliverClaimsExpired},
	{"leaves one that somebody has", deliverClaimsHeld},
	{"two of one session in one call take one lease", deliverClaimsTwice},
	{"many at once take one lease", deliverClaimsRace},
	{"sent again with the same token it is claimed again", deliverClaimsAgain},
	{"sent again with the same token and another request", deliverClaimsAgainWrites},
}

var manyDeliveryCases = []testCase{
	{"to many sessions in one call, results in order", deliverMany},
	{"two to one session in one call both count, in order", deliverTwo},
	{"each for itself, a bad one next to a good one", deliverMixed},
	{"none", func(k *kit) { k.equal("results", len(k.deliverAll()), 0) }},
}

func deliverClaims(k *kit) {
	r := k.atRest("a")
	lease := k.lease()
	d := k.deliverAll(store.Delivery{Session: r.ID, Key: "key", Decide: always(signal()), Claim: lease})[0]
	k.noError(d.Err)
	if d.Claimed == nil {
		k.Fatal("not claimed")
	}
	want := r
	want.Inbox, want.Claims, want.Lease, want.LeaseOwner = 1, 1, lease.Token, "engine 1"
	want.LeaseUntil = d.Claimed.Now.Add(long)
	want.DueAt = want.LeaseUntil
	k.sameRecord("claimed", d.Claimed.Session, want)
	k.sameRecord("session of the result", d.Session, want)
	k.sameRecord("session", k.session("a"), want)
	k.equal("requests of the claim", keysOf(d.Claimed.Requests, false), "key")
	k.commit(k.checkpoint(d.Claimed.Session))
}

func deliverClaimsExpired(k *kit) {
	late := k.expired("a")
	k.deliver(late.ID, "before", signal())
	d := k.deliverAll(store.Delivery{Session: late.ID, Key: "key", Decide: always(signal()), Claim: k.lease()})[0]
	k.noError(d.Err)
	if d.Claimed == nil {
		k.Fatal("not claimed")
	}
	k.equal("claims", d.Claimed.Session.Claims, 1)
	k.equal("requests of the claim", keysOf(d.Claimed.Requests, false), "before key")
	k.outcome(k.checkpoint(late), store.Lost)
}

func deliverClaimsHeld(k *kit) {
	r := k.held("a")
	d := k.deliverAll(store.Delivery{Session: r.ID, Key: "key", Decide: always(signal()), Claim: k.lease()})[0]
	k.noError(d.Err)
	if d.Claimed != nil {
		k.Error("claimed what somebody has")
	}
	k.equal("lease", k.session("a").Lease, r.Lease)
}

func deliverClaimsTwice(k *kit) {
	r := k.atRest("a")
	out := k.deliverAll(
		store.Delivery{Session: r.ID, Key: "one", Decide: always(signal()), Claim: k.lease()},
		store.Delivery{Session: r.ID, Key: "two", Decide: always(signal()), Claim: k.lease()})
	k.noError(out[0].Err)
	k.noError(out[1].Err)
	if out[0].Claimed == nil || out[1].Claimed != nil {
		k.Fatalf("claimed: %v and %v, want only the first", out[0].Claimed != nil, out[1].Claimed != nil)
	}
	k.equal("lease", k.session("a").Lease, out[0].Claimed.Session.Lease)
	k.numbered(r.ID, 2)
}

func deliverClaimsRace(k *kit) {
	r := k.atRest("a")
	var claimed atomic.Int64
	k.race(8, func(i int) error {
		out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: r.ID, Key: fmt.Sprint(i), Decide: always(signal()), Claim: k.lease()}})
		if err != nil {
			return err
		}
		if out[0].Claimed != nil {
			claimed.Add(1)
		}
		return out[0].Err
	})
	k.equal("claimed", claimed.Load(), int64(1))
	k.numbered(r.ID, 8)
}

// The answer to the first sending was lost; the caller must learn that it has the lease.
func deliverClaimsAgain(k *kit) {
	r := k.atRest("a")
	d := store.Delivery{Session: r.ID, Key: "key", Claim: k.lease(), Decide: func(v store.InboxView) (*store.Request, error) {
		if v.Same != nil {
			return nil, nil
		}
		request := signal()
		return &request, nil
	}}
	first := k.deliverAll(d)[0]
	k.noError(first.Err)
	k.pass(first.Claimed.Now)
	second := k.deliverAll(d)[0]
	k.noError(second.Err)
	if second.Request != nil || second.Claimed == nil {
		k.Fatalf("got %+v, want no request but the claim", second)
	}
	k.equal("token", second.Claimed.Session.Lease, d.Claim.Token)
	k.equal("requests", keysOf(second.Claimed.Requests, false), "key")
	k.sameRecord("session of the result", second.Session, second.Claimed.Session)
	k.sameTime("due_at", second.Session.DueAt, second.Session.LeaseUntil)
	k.sameTime("end of the lease", second.Session.LeaseUntil, second.Claimed.Now.Add(long))
	if !second.Session.LeaseUntil.After(first.Session.LeaseUntil) {
		k.Errorf("the lease ends at %s, want later than that of the first sending", second.Session.LeaseUntil)
	}
	k.sameRecord("session", k.session("a"), second.Session)
	k.numbered(r.ID, 1)
	k.commit(k.checkpoint(second.Claimed.Session))
	other := d
	other.Claim = k.lease()
	if out := k.deliverAll(other)[0]; out.Claimed != nil || out.Err != nil {
		k.Errorf("another token got %+v, want no claim", out)
	}
}

// Sent again with a Decide that wants a request all the same.
func deliverClaimsAgainWrites(k *kit) {
	r := k.atRest("a")
	lease := k.lease()
	first := k.deliverAll(store.Delivery{Session: r.ID, Key: "one", Decide: always(signal()), Claim: lease})[0]
	k.noError(first.Err)
	second := k.deliverAll(store.Delivery{Session: r.ID, Key: "two", Decide: always(signal()), Claim: lease})[0]
	k.noError(second.Err)
	if second.Claimed == nil {
		k.Fatal("not claimed")
	}
	want := first.Session
	want.Inbox, want.LeaseUntil = 2, second.Claimed.Now.Add(long)
	want.DueAt = want.LeaseUntil
	k.sameRecord("claimed", second.Claimed.Session, want)
	k.sameRecord("session", k.session("a"), want)
	k.equal("requests", keysOf(second.Claimed.Requests, false), "one two")
}

func deliverMany(k *kit) {
	var sessions []store.NewSession
	var deliveries []store.Delivery
	for i := range 100 {
		n := k.newSession(fmt.Sprintf("s%02d", i))
		sessions = append(sessions, n)
		deliveries = append(deliveries, store.Delivery{Session: n.ID, Key: "key", Decide: always(answer(n.ID, "ask", 1)), Claim: k.lease()})
	}
	k.createAll(sessions...)
	for i, d := range k.deliverAll(deliveries...) {
		k.noError(d.Err)
		if d.Session.ID != sessions[i].ID || d.Request.Session != sessions[i].ID || d.Claimed == nil || d.Claimed.Session.ID != sessions[i].ID {
			k.Fatalf("result %d is %+v, want that of %s, claimed", i, d, sessions[i].ID)
		}
		k.equal("token", d.Claimed.Session.Lease, deliveries[i].Claim.Token)
	}
}

func deliverTwo(k *kit) {
	a, b := k.atRest("a"), k.atRest("b")
	var seen string
	second := store.Delivery{Session: a.ID, Key: "two", Decide: func(v store.InboxView) (*store.Request, error) {
		found, err := v.ByTarget(answer(a.ID, "ask", 1).Target)
		if err != nil {
			return nil, err
		}
		seen = fmt.Sprintf("%d %s %s", v.Session.Inbox, keysOf(v.Unapplied, false), keyOf(found))
		request := signal()
		return &request, nil
	}}
	again := store.Delivery{Session: a.ID, Key: "one", Decide: func(v store.InboxView) (*store.Request, error) {
		if v.Same == nil {
			return nil, fmt.Errorf("the same key of the same call is not seen")
		}
		return nil, nil
	}}
	out := k.deliverAll(
		store.Delivery{Session: a.ID, Key: "one", Decide: always(answer(a.ID, "ask", 1))},
		store.Delivery{Session: b.ID, Key: "one", Decide: always(signal())}, second, again)
	for _, d := range out {
		k.noError(d.Err)
	}
	k.equal("what the second saw", seen, "1 one one")
	k.equal("numbers", []int64{out[0].Request.N, out[1].Request.N, out[2].Request.N}, []int64{1, 1, 2})
	k.equal("requests", k.requestKeys(a.ID, false), "one two")
	k.numbered(a.ID, 2)
}

func deliverMixed(k *kit) {
	a, b, c := k.atRest("a"), k.atRest("b"), k.atRest("c")
	k.deliver(b.ID, "key", answer(b.ID, "ask", 1))
	out := k.deliverAll(
		store.Delivery{Session: a.ID, Key: "new", Decide: always(signal())},
		store.Delivery{Session: k.id("not-there"), Key: "new", Decide: always(signal())},
		store.Delivery{Session: b.ID, Key: "key", Decide: always(signal())},
		store.Delivery{Session: b.ID, Key: "other", Decide: always(answer(b.ID, "ask", 1))},
		store.Delivery{Session: b.ID, Key: "no", Decide: func(store.InboxView) (*store.Request, error) { return nil, store.ErrSessionEnded }},
		store.Delivery{Session: c.ID, Key: "new", Decide: always(signal())},
		store.Delivery{Session: b.ID, Key: "new", Decide: always(signal())})
	for i, want := range []error{nil, store.ErrSessionNotFound, store.ErrKeyReused, store.ErrAlreadyAnswered, store.ErrSessionEnded, nil, nil} {
		if want == nil {
			k.noError(out[i].Err)
		} else {
			k.isError(out[i].Err, want)
		}
	}
	k.numbered(a.ID, 1)
	k.equal("requests of b", k.requestKeys(b.ID, false), "key new")
	k.numbered(b.ID, 2)
	k.numbered(c.ID, 1)
}

package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var leaseCases = []testCase{
	{"takes by id what is free, due or not", leaseByID},
	{"what a claim returns and writes", leaseFields},
	{"each claim has a token of its own", leaseTokens},
	{"comes with the requests not applied", leaseRequests},
	{"a lease that ran out is free and its token is stale", leaseExpired},
	{"from the third death on a session is left alone longer", leasePenalty},
	{"many race for one session, one wins", leaseRace},
	{"many race for many sessions, each goes once", leaseRaceMany},
	{"the winner of a race can write, the others cannot", leaseRaceCommit},
}

var extendCases = []testCase{
	{"moves the end of leases still held, names the lost", extendHeld},
	{"one that ran out and was not taken goes on", extendExpired},
	{"none", extendNone},
	{"released: due at once, claims forgiven", releaseHeld},
	{"released by somebody else: left alone", releaseOther},
}

func leaseByID(k *kit) {
	k.held("held")
	k.create(k.newSession("due"))
	k.atRest("resting")
	k.expired("expired")
	claimed, err := k.store.ClaimByID(k.ctx, k.ids("resting", "held", "not-there", "due", "expired", "due"), k.claim(long))
	k.noError(err)
	var got []string
	for _, c := range claimed {
		got = append(got, c.Session.ID)
	}
	slices.Sort(got)
	k.equal("claimed", got, k.ids("due", "expired", "resting"))
	claimed, err = k.store.ClaimByID(k.ctx, k.ids("resting", "held", "due", "expired"), k.claim(long))
	k.noError(err)
	k.equal("claimed again", len(claimed), 0)
	claimed, err = k.store.ClaimByID(k.ctx, nil, k.claim(long))
	k.noError(err)
	k.equal("claimed of none", len(claimed), 0)
}

func leaseFields(k *kit) {
	r := k.atRest("a", asking(since(1), "ask"))
	token := k.token()
	claimed, err := k.store.ClaimByID(k.ctx, []string{r.ID}, store.ClaimOptions{Owner: "engine 1", For: long, Limit: 1, Token: func() string { return token }})
	k.noError(err)
	if len(claimed) != 1 {
		k.Fatalf("claimed %d sessions, want one", len(claimed))
	}
	k.near("now", claimed[0].Now)
	want := r
	want.Lease, want.LeaseOwner, want.Claims, want.LeaseUntil = token, "engine 1", 1, claimed[0].Now.Add(long)
	want.DueAt = want.LeaseUntil
	k.sameRecord("claimed", claimed[0].Session, want)
	k.sameRecord("session", k.session("a"), want)
}

func leaseTokens(k *kit) {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("s%d", i))
		k.create(k.newSession(names[i]))
	}
	claimed, err := k.store.ClaimByID(k.ctx, k.ids(names...), k.claim(long))
	k.noError(err)
	tokens := make(map[string]bool)
	for _, c := range claimed {
		tokens[c.Session.Lease] = true
		k.equal("token of "+c.Session.ID, c.Session.Lease != "", true)
	}
	k.equal("tokens", len(tokens), 10)
}

func leaseRequests(k *kit) {
	a, b := k.held("a"), k.held("b")
	for _, key := range []string{"z", "y", "x"} {
		k.deliver(a.ID, key, signal())
	}
	k.deliver(b.ID, "b", signal())
	k.applied("a", "y")
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: a.ID, Token: a.Lease}, {Session: b.ID, Token: b.Lease}}))
	claimed, err := k.store.ClaimByID(k.ctx, []string{a.ID, b.ID}, k.claim(long))
	k.noError(err)
	got := make(map[string]string)
	for _, c := range claimed {
		got[c.Session.ID] = keysOf(c.Requests, false)
	}
	k.equal("requests", got, map[string]string{a.ID: "z x", b.ID: "b"})
}

func leaseExpired(k *kit) {
	late := k.heldFor("a", brief)
	claimed, err := k.store.ClaimByID(k.ctx, []string{late.ID}, k.claim(long))
	k.noError(err)
	if len(claimed) > 0 && claimed[0].Now.Before(late.LeaseUntil) {
		k.Fatal("claimed before the end of the lease")
	}
	k.pass(late.LeaseUntil)
	if len(claimed) == 0 {
		k.claimOne("a", long)
	}
	want := k.session("a")
	k.outcome(k.checkpoint(late), store.Lost)
	ref := []store.LeaseRef{{Session: late.ID, Token: late.Lease}}
	lost, err := k.store.Extend(k.ctx, ref, long)
	k.noError(err)
	k.equal("lost", lost, []string{late.ID})
	k.noError(k.store.Release(k.ctx, ref))
	k.sameRecord("session", k.session("a"), want)
}

func leasePenalty(k *kit) {
	r := k.heldFor("a", time.Millisecond)
	for claims := 1; claims <= 6; claims++ {
		k.equal("claims", r.Claims, claims)
		want := r.LeaseUntil
		if claims >= 3 {
			want = want.Add(time.Second << (claims - 3))
		}
		k.sameTime(fmt.Sprintf("due_at of claim %d", claims), r.DueAt, want)
		k.pass(r.LeaseUntil)
		r = k.claimOne("a", time.Millisecond).Session
	}
	k.deliver(r.ID, "key", signal())
	k.pass(r.LeaseUntil)
	k.deliver(r.ID, "another key", signal())
	r = k.session("a")
	k.equal("claims after a request", r.Claims, 0)
	k.near("due_at after a request", r.DueAt)
}

func leaseRace(k *kit) {
	for round := range 5 {
		name := fmt.Sprintf("s%d", round)
		k.create(k.newSession(name))
		var won atomic.Int64
		k.race(16, func(int) error {
			claimed, err := k.store.ClaimByID(k.ctx, []string{k.id(name)}, k.claim(long))
			won.Add(int64(len(claimed)))
			return err
		})
		k.equal("winners", won.Load(), int64(1))
		k.equal("claims", k.session(name).Claims, 1)
	}
}

func leaseRaceMany(k *kit) {
	var ids []string
	for i := range 40 {
		ids = append(ids, k.create(k.newSession(fmt.Sprintf("s%02d", i))).ID)
	}
	var mu sync.Mutex
	holders := make(map[string][]string)
	k.race(8, func(i int) error {
		mine := slices.Clone(ids)
		if i%2 == 1 {
			slices.Reverse(mine)
		}
		claimed, err := k.store.ClaimByID(k.ctx, mine, k.claim(long))
		mu.Lock()
		defer mu.Unlock()
		for _, c := range claimed {
			holders[c.Session.ID] = append(holders[c.Session.ID], c.Session.Lease)
		}
		return err
	})
	for _, id := range ids {
		if len(holders[id]) != 1 {
			k.Errorf("session %s went to %d holders, want one", id, len(holders[id]))
		}
	}
}

func leaseRaceCommit(k *kit) {
	r := k.expired("a")
	var written, lost atomic.Int64
	k.race(8, func(i int) error {
		mine := r
		if i > 0 {
			claimed, err := k.store.ClaimByID(k.ctx, []string{r.ID}, k.claim(long))
			if err != nil || len(claimed) == 0 {
				return err
			}
			mine = claimed[0].Session
		}
		results, err := k.store.Commit(k.ctx, []store.Checkpoint{k.checkpoint(mine)})
		if err != nil {
			return err
		}
		switch results[0].Outcome {
		case store.Committed:
			written.Add(1)
		case store.Lost:
			lost.Add(1)
		}
		return nil
	})
	k.equal("version against checkpoints written", k.session("a").Version, written.Load())
	if written.Load()+lost.Load() > 2 {
		k.Errorf("%d written and %d lost: more than one new holder", written.Load(), lost.Load())
	}
}

func extendHeld(k *kit) {
	a, b := k.heldFor("a", time.Minute), k.heldFor("b", time.Minute)
	k.create(k.newSession("free"))
	lost, err := k.store.Extend(k.ctx, []store.LeaseRef{{Session: a.ID, Token: a.Lease}, {Session: b.ID, Token: "stale"},
		{Session: k.id("not-there"), Token: "x"}, {Session: k.id("free"), Token: ""}}, long)
	k.noError(err)
	slices.Sort(lost)
	k.equal("lost", lost, k.ids("b", "free", "not-there"))
	got := k.session("a")
	if d := got.LeaseUntil.Sub(k.now()); d > long || d < long-time.Minute {
		k.Errorf("the lease goes on for %v, want about %v", d, long)
	}
	k.sameTime("due_at", got.DueAt, got.LeaseUntil)
	k.equal("lease, owner, version, claims", []any{got.Lease, got.LeaseOwner, got.Version, got.Claims}, []any{a.Lease, a.LeaseOwner, a.Version, 1})
	k.sameRecord("b", k.session("b"), b)
}

func extendExpired(k *kit) {
	r := k.expired("a")
	lost, err := k.store.Extend(k.ctx, []store.LeaseRef{{Session: r.ID, Token: r.Lease}}, long)
	k.noError(err)
	k.equal("lost", len(lost), 0)
	claimed, err := k.store.ClaimByID(k.ctx, []string{r.ID}, k.claim(long))
	k.noError(err)
	k.equal("claimed", len(claimed), 0)
}

func extendNone(k *kit) {
	lost, err := k.store.Extend(k.ctx, nil, long)
	k.noError(err)
	k.equal("lost", len(lost), 0)
	k.noError(k.store.Release(k.ctx, nil))
}

func releaseHeld(k *kit) {
	a, b := k.held("a"), k.held("b")
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: a.ID, Token: a.Lease}, {Session: b.ID, Token: b.Lease}}))
	got := k.session("a")
	k.equal("lease, owner, claims, version", []any{got.Lease, got.LeaseOwner, got.Claims, got.Version}, []any{"", "", 0, a.Version})
	k.equal("no lease_until", got.LeaseUntil.IsZero(), true)
	k.near("due_at", got.DueAt)
	k.outcome(k.checkpoint(a), store.Lost)
	k.equal("claims", k.claimOne("b", long).Session.Claims, 1)
}

func releaseOther(k *kit) {
	a, rest := k.held("a"), k.atRest("resting")
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: a.ID, Token: "stale"}, {Session: rest.ID, Token: ""},
		{Session: k.id("not-there"), Token: "x"}}))
	k.sameRecord("held", k.session("a"), a)
	k.sameRecord("resting", k.session("resting"), rest)
}

package storetest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// claimCases take whatever is due, sessions of others too, and hold these for long, so
// that they are out of the way.
var claimCases = []testCase{
	{"longest due first, without those that are leased or due later", claimLongestDue},
	{"takes what is due and nothing else", claimDue},
	{"takes no more than wanted", claimLimit},
	{"passes over workflows, however much of them is due", claimSkip},
	{"leaves out what the caller names", claimExcept},
	{"a dead worker's session is found again", claimDead},
	{"one that killed three workers is not found at once", claimPoison},
	{"a timer that is over is found", claimTimer},
	{"many workers, each session goes once", claimRace},
}

// drain claims until nothing is due and returns the names of this case's sessions.
func (k *kit) drain() map[string]store.Claimed {
	k.Helper()
	mine := make(map[string]store.Claimed)
	for {
		claimed, err := k.store.Claim(k.ctx, k.claim(long))
		k.noError(err)
		if len(claimed) == 0 {
			return mine
		}
		for _, c := range claimed {
			if name, ok := strings.CutPrefix(c.Session.ID, k.prefix+"-"); ok {
				mine[name] = c
			}
		}
	}
}

func claimExcept(k *kit) {
	left, taken := k.create(k.newSession("left")), k.create(k.newSession("taken"))
	o := k.claim(long)
	o.Except = []string{left.ID}
	mine := map[string]bool{}
	for {
		claimed, err := k.store.Claim(k.ctx, o)
		k.noError(err)
		if len(claimed) == 0 {
			break
		}
		for _, c := range claimed {
			mine[c.Session.ID] = true
		}
	}
	k.equal("left and taken", []bool{mine[left.ID], mine[taken.ID]}, []bool{false, true})
	k.equal("claimed by somebody else", k.drain()["left"].Session.ID, left.ID)
}

func claimDue(k *kit) {
	k.create(k.newSession("new"))
	k.held("held")
	k.atRest("never")
	k.atRest("later", func(c *store.Checkpoint) { c.DueAt = k.now().Add(long) })
	k.atRest("over", func(c *store.Checkpoint) { c.DueAt = k.now().Add(-long) })
	asked := k.atRest("asked")
	k.deliver(asked.ID, "key", signal())
	mine := k.drain()
	for _, name := range []string{"new", "over", "asked"} {
		c, ok := mine[name]
		if !ok {
			k.Errorf("session %s is due and was not claimed", name)
			continue
		}
		k.near("now", c.Now)
		k.sameRecord(name, k.session(name), c.Session)
		k.equal("claims of "+name, c.Session.Claims, 1)
		k.equal("state of "+name+" is there", len(c.Session.State) > 0, true)
	}
	k.equal("claimed", len(mine), 3)
	k.equal("requests", keysOf(mine["asked"].Requests, false), "key")
	k.commit(k.checkpoint(mine["new"].Session))
}

func claimSkip(k *kit) {
	k.drain() // what others left due
	create := func(name, workflow string) {
		n := k.newSession(name)
		n.Workflow = k.id(workflow)
		k.create(n)
	}
	for i := range 12 {
		create(fmt.Sprintf("much%d", i), "much")
	}
	create("little", "little")
	o := k.claim(long)
	o.Limit, o.Skip = 2, k.ids("much", "not-there")
	var mine []string // sessions that other cases left may become due now
	for {
		claimed, err := k.store.Claim(k.ctx, o)
		k.noError(err)
		if len(claimed) == 0 {
			break
		}
		for _, c := range claimed {
			if strings.HasPrefix(c.Session.ID, k.prefix+"-") {
				mine = append(mine, c.Session.ID)
			}
		}
	}
	k.equal("claimed with the list", mine, k.ids("little"))
	k.equal("claimed without the list", len(k.drain()), 12)
}

func claimLimit(k *kit) {
	for i := range 5 {
		k.create(k.newSession(fmt.Sprintf("s%d", i)))
	}
	found := 0
	for range 10_000 {
		o := k.claim(long)
		o.Limit = 2
		claimed, err := k.store.Claim(k.ctx, o)
		k.noError(err)
		if len(claimed) > 2 {
			k.Fatalf("claimed %d, want at most 2", len(claimed))
		}
		if len(claimed) == 0 {
			break
		}
		for _, c := range claimed {
			if strings.HasPrefix(c.Session.ID, k.prefix) {
				found++
			}
		}
	}
	k.equal("found", found, 5)
}

func claimDead(k *kit) {
	r := k.heldFor("a", brief)
	_, early := k.drain()["a"]
	if early && k.session("a").LeaseUntil.Add(-long).Before(r.LeaseUntil) {
		k.Fatal("claimed before the end of the lease")
	}
	k.pass(r.LeaseUntil)
	if !early {
		k.equal("claims", k.drain()["a"].Session.Claims, 2)
	}
	k.outcome(k.checkpoint(r), store.Lost)
}

func claimPoison(k *kit) {
	r := k.heldFor("a", time.Millisecond)
	for range 4 {
		k.pass(r.LeaseUntil)
		r = k.claimOne("a", time.Millisecond).Session
	}
	k.pass(r.LeaseUntil)
	mine, now := k.drain(), k.now()
	if _, found := mine["a"]; found && now.Before(r.DueAt) {
		k.Errorf("claimed before %v, when a session that killed %d workers is due", r.DueAt, r.Claims)
	}
}

func claimTimer(k *kit) {
	k.atRest("a", func(c *store.Checkpoint) { c.DueAt = k.now().Add(brief) })
	k.until("the timer is over and the session found", func() bool {
		_, found := k.drain()["a"]
		return found
	})
	r := k.session("a")
	if claimed := r.LeaseUntil.Add(-long); claimed.Before(r.CreatedAt.Add(brief)) {
		k.Errorf("claimed at %v, before its timer", claimed)
	}
}

func claimRace(k *kit) {
	const sessions = 60
	for i := range sessions {
		k.create(k.newSession(fmt.Sprintf("s%02d", i)))
	}
	var mu sync.Mutex
	tokens := make(map[string]int)
	k.race(6, func(int) error {
		for end := time.Now().Add(patience); time.Now().Before(end); {
			o := k.claim(long)
			o.Limit = 7
			claimed, err := k.store.Claim(k.ctx, o)
			if err != nil {
				return err
			}
			mu.Lock()
			for _, c := range claimed {
				if strings.HasPrefix(c.Session.ID, k.prefix) {
					tokens[c.Session.ID]++
				}
			}
			all := len(tokens) == sessions
			mu.Unlock()
			if all {
				return nil
			}
		}
		return fmt.Errorf("not all sessions were found in %v", patience)
	})
	for id, n := range tokens {
		if n != 1 {
			k.Errorf("session %s went to %d workers", id, n)
		}
	}
}

func claimLongestDue(k *kit) {
	begin := k.now().Add(-time.Hour).Truncate(time.Millisecond)
	for i, name := range []string{"second", "first", "third"} {
		row := k.checkpoint(k.held(name))
		row.Release, row.DueAt = true, begin.Add(time.Duration([]int{1, 0, 2}[i])*time.Minute)
		k.commit(row)
	}
	later := k.checkpoint(k.held("later"))
	later.Release, later.DueAt = true, k.now().Add(time.Hour)
	k.commit(later)
	k.held("leased")
	ids, err := k.store.LongestDue(k.ctx, 10_000)
	k.noError(err)
	var mine []string // other cases share the store
	for _, id := range ids {
		if strings.HasPrefix(id, k.prefix) {
			mine = append(mine, strings.TrimPrefix(id, k.prefix+"-"))
		}
	}
	k.equal("order", strings.Join(mine, " "), "first second third")
	one, err := k.store.LongestDue(k.ctx, 1)
	k.noError(err)
	k.equal("limit 1", len(one), 1)
}

package storetest

import (
	"fmt"
	"sync"

	"github.com/stepgraph/stepgraph/engine/store"
)

var startKeyCases = []testCase{
	{"a key starts one session", startAgain},
	{"sent again it shows the lease it took", startClaimed},
	{"a key with another body is refused", startOtherBody},
	{"two of one key in one call", startTwice},
	{"many at once with one key: one session", startRace},
	{"a start is not a request", startNoRequest},
	{"a key is free again when its session is gone", startDeleted},
}

func startAgain(k *kit) {
	first := k.create(k.keyed("a", "key", "h"))
	second := k.keyed("b", "key", "h")
	second.Claim = &store.Lease{Token: k.token(), Owner: "late", For: long}
	again := k.start(second)
	k.noError(again.Err)
	k.equal("exists", again.Exists, true)
	k.sameRecord("session", again.Session, first)
	k.missing("b")
	same := k.start(k.keyed("a", "key", "h"))
	k.noError(same.Err)
	k.equal("same id exists", same.Exists, true)
	k.isError(k.start(k.keyed("a", "other key", "h")).Err, store.ErrSessionExists)
	k.create(k.keyed("c", "other key", "h"))
}

// The answer to the first sending was lost: the caller compares tokens.
func startClaimed(k *kit) {
	n := k.keyed("a", "key", "h")
	n.Claim = k.lease()
	k.create(n)
	again := k.start(n)
	k.noError(again.Err)
	k.equal("exists, token", []any{again.Exists, again.Session.Lease}, []any{true, n.Claim.Token})
	k.commit(k.checkpoint(again.Session))
}

func startOtherBody(k *kit) {
	first := k.create(k.keyed("a", "key", "h"))
	k.isError(k.start(k.keyed("b", "key", "other")).Err, store.ErrKeyReused)
	k.missing("b")
	k.sameRecord("the first", k.session("a"), first)
}

func startTwice(k *kit) {
	results, err := k.store.Create(k.ctx, []store.NewSession{
		k.keyed("a", "key", "h"), k.keyed("b", "key", "h"), k.keyed("c", "key", "x"), k.keyed("d", "", "h")})
	k.noError(err)
	k.noError(results[0].Err)
	k.noError(results[1].Err)
	k.equal("exists", []bool{results[0].Exists, results[1].Exists, results[3].Exists}, []bool{false, true, false})
	k.equal("session of the second", results[1].Session.ID, k.id("a"))
	k.isError(results[2].Err, store.ErrKeyReused)
	k.missing("b")
	k.missing("c")
	k.session("d")
}

func startRace(k *kit) {
	var mu sync.Mutex
	started, ids := 0, map[string]bool{}
	k.race(8, func(i int) error {
		results, err := k.store.Create(k.ctx, []store.NewSession{k.keyed(fmt.Sprintf("s%d", i), "key", "h")})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if !results[0].Exists {
			started++
		}
		ids[results[0].Session.ID] = true
		return results[0].Err
	})
	k.equal("started", started, 1)
	k.equal("sessions told of", len(ids), 1)
	list, err := k.store.ListSessions(k.ctx, store.SessionQuery{Workflow: k.prefix})
	k.noError(err)
	k.equal("sessions there", len(list), 1)
}

func startNoRequest(k *kit) {
	r := k.create(k.keyed("a", "key", "h"))
	k.equal("inbox", r.Inbox, int64(0))
	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("requests", len(all), 0)
	k.equal("requests of a claim", len(k.claimOne("a", long).Requests), 0)
	k.equal("number of the first request", k.deliver(r.ID, k.id("key"), signal()).Request.N, int64(1))
}

func startDeleted(k *kit) {
	k.create(k.keyed("a", "key", "h"))
	k.deleteAll("a")
	created := k.start(k.keyed("b", "key", "other"))
	k.noError(created.Err)
	k.equal("exists", created.Exists, false)
}

package storetest

import (
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

var arrivalCases = []testCase{
	{"request and checkpoint are one write", arrivalWritten},
	{"it takes the lease", arrivalHolds},
	{"sent again it is there already", arrivalAgain},
	{"a session that is not as it was is lost, and nothing is written", arrivalLost},
	{"a session that is being deleted is lost", arrivalDeleted},
	{"beside the checkpoint of a holder", arrivalMixed},
	{"of eight answers to one question one is written", arrivalRace},
}

// arrivalOf is a checkpoint of a session at rest that brings an answer along.
func arrivalOf(k *kit, r store.SessionRecord, key string) store.Checkpoint {
	c := k.checkpoint(r)
	c.Lease, c.Seen = k.token(), r.Inbox+1
	c.Received = &store.Arrival{Request: answer(r.ID, "ask", 1), Owner: "engine 1"}
	c.Received.Key, c.Received.Outcome, c.Received.By = key, "applied", "ann"
	c.Executions = []store.Execution{execution(r.ID, r.Inbox+7, "ask")}
	return c
}

func arrivalWritten(k *kit) {
	r := k.atRest("a")
	due := k.now().Add(long)
	c := arrivalOf(k, r, "key")
	c.Release, c.DueAt, c.Status = true, due, store.StatusAwaitingInput
	c.Awaiting = []byte(`[{"step":"next","visit":1,"ask":1}]`)
	c.AwaitingSince = k.now()
	c.Messages = []function.Message{message(r.ID, 1)}
	result := k.outcome(c, store.Committed)
	k.equal("inbox", result.Inbox, int64(1))

	want := r
	want.Version, want.Inbox, want.Status, want.Transition = r.Version+1, 1, c.Status, c.Transition
	want.State, want.Counters, want.Awaiting = c.State, c.Counters, c.Awaiting
	want.AwaitingSince, want.DueAt, want.UpdatedAt = c.AwaitingSince, due, result.Now
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(r.ID, 1, 1)

	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	if len(all) != 1 {
		k.Fatalf("%d requests, want 1", len(all))
	}
	k.sameTime("time of the request", all[0].At, result.Now)
	request := c.Received.As(&c, all[0].At)
	k.equal("request", all[0], request)

	k.deliver(r.ID, "later", signal())
	k.equal("number of the next request", k.session("a").Inbox, int64(2))
	found, err := k.store.Requests(k.ctx, []store.InboxAfter{{Session: r.ID, N: 0}})
	k.noError(err)
	k.equal("requests above 0", keysOf(found[r.ID], false), "key later")
}

func arrivalHolds(k *kit) {
	r := k.atRest("a")
	c := arrivalOf(k, r, "key")
	result := k.outcome(c, store.Committed)
	got := k.session("a")
	k.equal("lease", []string{got.Lease, got.LeaseOwner}, []string{c.Lease, "engine 1"})
	k.sameTime("end of the lease", got.LeaseUntil, result.Now.Add(long))
	k.sameTime("due at", got.DueAt, result.Now.Add(long))
	k.commit(k.checkpoint(got))
	k.equal("requests not applied", k.requestKeys(r.ID, true), "")
}

func arrivalAgain(k *kit) {
	r := k.atRest("a")
	c := arrivalOf(k, r, "key")
	k.commit(c)
	want := k.session("a")
	k.outcome(c, store.Again)
	k.sameRecord("session", k.session("a"), want)
	k.historyLength(r.ID, 1, 0)
	k.equal("requests", k.requestKeys(r.ID, false), "key")
}

func arrivalLost(k *kit) {
	held, stale, unread, used := k.held("held"), k.atRest("stale"), k.atRest("unread"), k.atRest("used")
	late := k.expired("late")
	k.commit(arrivalOf(k, used, "key"))
	freed := k.checkpoint(k.session("used"))
	freed.Release = true
	k.commit(freed)
	used = k.session("used")
	ofTarget, ofKey := arrivalOf(k, used, "other"), arrivalOf(k, used, "key")
	ofKey.Received.Target = store.Target(used.ID, "ask", 2, 1)
	old := arrivalOf(k, stale, "key")
	old.Version--
	k.deliver(unread.ID, "before", signal())
	for what, c := range map[string]store.Checkpoint{
		"held": arrivalOf(k, held, "key"), "late": arrivalOf(k, late, "key"), "stale": old, "unread": arrivalOf(k, unread, "key"),
		"target taken": ofTarget, "key taken": ofKey,
		"unknown": arrivalOf(k, store.SessionRecord{ID: k.id("not-there")}, "key"),
	} {
		before := k.requestKeys(c.Session, false)
		if out := k.send(c); out[0] != store.Lost {
			k.Errorf("%s: outcome %s, want lost", what, outcomeName(out[0]))
		}
		k.equal(what+": requests", k.requestKeys(c.Session, false), before)
	}
	k.sameRecord("held", k.session("held"), held)
	k.sameRecord("late", k.session("late"), late)
	k.sameRecord("stale", k.session("stale"), stale)
	k.sameRecord("used", k.session("used"), used)
	k.historyLength(used.ID, 1, 0)
}

func arrivalDeleted(k *kit) {
	r := k.atRest("a")
	if _, err := k.store.DeleteSession(k.ctx, r.ID); err != nil {
		k.Fatal(err)
	}
	k.outcome(arrivalOf(k, r, "key"), store.Lost)
}

func arrivalMixed(k *kit) {
	a, b, c := k.atRest("a"), k.held("b"), k.atRest("c")
	k.equal("outcomes", k.send(arrivalOf(k, a, "key"), k.checkpoint(b), arrivalOf(k, c, "key")),
		[]store.CommitOutcome{store.Committed, store.Committed, store.Committed})
	k.equal("requests", k.requestKeys(a.ID, false)+k.requestKeys(b.ID, false)+k.requestKeys(c.ID, false), "keykey")
}

func arrivalRace(k *kit) {
	r := k.atRest("a")
	var written atomic.Int64
	k.race(8, func(int) error {
		results, err := k.store.Commit(k.ctx, []store.Checkpoint{arrivalOf(k, r, k.token())})
		if err == nil && results[0].Outcome == store.Committed {
			written.Add(1)
		}
		return err
	})
	k.equal("written", written.Load(), int64(1))
	k.equal("inbox", k.session("a").Inbox, int64(1))
	k.historyLength(r.ID, 1, 0)
}

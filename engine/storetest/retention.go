package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

var retentionCases = []testCase{
	{"oldest sessions page by page, of any status, without state", retentionOldest},
	{"a family goes with all its history", retentionFamily},
	{"one that has changed keeps all of them", retentionChanged},
	{"one that is held or due keeps all of them", retentionBusy},
	{"one that a batch at work has to do with keeps all of them", retentionBatch},
	{"a stopped or ended batch keeps none", retentionBatchOver},
	{"sessions that are not there count as removed", retentionGone},
	{"much goes in parts, and none of it can be claimed meanwhile", retentionParts},
	{"families in one call have an outcome each", retentionTogether},
	{"a call comes to some of very many sessions", retentionMany},
	{"those that have child sessions are parents", retentionParents},
	{"a key can be used again", retentionKey},
	{"a duty has one owner", dutyOne},
	{"a duty ends, is extended and given back", dutyEnds},
}

func (k *kit) marks(names ...string) []store.SessionMark {
	k.Helper()
	var list []store.SessionMark
	for _, name := range names {
		rec := k.session(name)
		list = append(list, rec.Mark())
	}
	return list
}

func (k *kit) removes(marks []store.SessionMark, want store.Removal) {
	k.Helper()
	k.equal("outcome of the removal", removal(k, marks), want)
}

// removal removes one family, as far as one call does.
func removal(k *kit, marks []store.SessionMark) store.Removal {
	k.Helper()
	got, err := k.store.RemoveFamilies(k.ctx, [][]store.SessionMark{marks})
	k.noError(err)
	k.equal("outcomes", len(got), 1)
	return got[0]
}

func complete(c *store.Checkpoint) { c.Status = store.StatusComplete }

func retentionOldest(k *kit) {
	for i := range 5 {
		k.atRest(fmt.Sprint("s", i), complete)
		k.pass(k.now().Add(2 * time.Millisecond))
	}
	first := k.session("s0")
	after := store.Cursor{At: first.CreatedAt.Add(-time.Microsecond), ID: "~"}
	var found []string
	for range 5000 {
		page, err := k.store.OldestSessions(k.ctx, after, 2)
		k.noError(err)
		if len(page) > 2 {
			k.Fatalf("a page of %d, at most 2 were asked for", len(page))
		}
		if len(page) == 0 {
			break
		}
		for i := range page {
			for n := range 5 {
				if page[i].ID == k.id(fmt.Sprint("s", n)) {
					found = append(found, fmt.Sprint("s", n))
					k.equal("state", len(page[i].State), 0)
					want := k.session(fmt.Sprint("s", n))
					want.State, want.Counters = nil, nil
					page[i].Counters = nil
					k.sameRecord("row", page[i], want)
				}
			}
		}
		last := page[len(page)-1]
		after = store.Cursor{At: last.CreatedAt, ID: last.ID}
	}
	k.equal("sessions in order", found, []string{"s0", "s1", "s2", "s3", "s4"})
}

func retentionFamily(k *kit) {
	k.loaded("a")
	k.loaded("b")
	other := k.loaded("c")
	k.removes(k.marks("b", "a"), store.Removed)
	k.gone("a")
	k.gone("b")
	k.sameRecord("another session", k.session("c"), other)
	k.historyLength(other.ID, 2, 1)
}

func retentionChanged(k *kit) {
	for _, change := range []func(){
		func() { k.deliver(k.id("b"), "late", answer(k.id("b"), "ask", 9)) },
		func() {
			c := k.checkpoint(k.claimOne("b", long).Session)
			c.Release = true
			k.commit(c)
		},
	} {
		k.loaded("a")
		k.loaded("b")
		marks := k.marks("a", "b")
		change()
		k.removes(marks, store.Changed)
		k.historyLength(k.id("a"), 2, 1)
		k.historyLength(k.id("b"), 2, 1)
		k.deleteAll("a")
		k.deleteAll("b")
	}
}

func retentionBusy(k *kit) {
	k.loaded("a")
	held := k.held("b")
	k.removes(k.marks("a", "b"), store.Changed)
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: held.ID, Token: held.Lease}}))
	k.removes(k.marks("a", "b"), store.Changed) // due
	k.historyLength(k.id("a"), 2, 1)
}

// inBatch makes a batch in a phase with one open item for a session.
func (k *kit) inBatch(name, session, phase string) {
	k.Helper()
	b := k.createBatch(k.newBatch(name))
	k.addItems(name, []store.BatchItem{{N: 1, Session: session, Outcome: store.ItemOpen}})
	if phase != store.BatchCollecting {
		b.Phase, b.Total = phase, 1
		k.saveBatch(b, nil, true)
	}
}

func retentionBatch(k *kit) {
	for _, phase := range []string{store.BatchCollecting, store.BatchPinning, store.BatchRunning} {
		k.loaded(phase)
		k.loaded(phase + "2")
		k.inBatch("batch-"+phase, k.id(phase), phase)
		k.removes(k.marks(phase+"2", phase), store.InBatch)
		k.historyLength(k.id(phase+"2"), 2, 1)
	}
}

func retentionBatchOver(k *kit) {
	k.loaded("stopped")
	k.inBatch("one", k.id("stopped"), store.BatchRunning)
	_, err := k.store.StopBatch(k.ctx, k.id("one"), "")
	k.noError(err)
	k.removes(k.marks("stopped"), store.Removed)
	k.loaded("done")
	k.inBatch("two", k.id("done"), store.BatchComplete)
	k.removes(k.marks("done"), store.Removed)
}

func retentionGone(k *kit) {
	k.loaded("a")
	marks := append(k.marks("a"), store.SessionMark{ID: k.id("never")})
	k.removes(marks, store.Removed)
	k.gone("a")
	k.removes(marks, store.Removed)
}

func retentionParts(k *kit) {
	r := k.held("a")
	for batch := range 6 {
		c := k.checkpoint(k.session("a"))
		for i := range 500 {
			c.Executions = append(c.Executions, execution(r.ID, int64(batch*500+i+1), "step"))
			c.Messages = append(c.Messages, message(r.ID, int64(batch*500+i+1)))
		}
		c.Release = batch == 5
		if c.Release {
			c.Status = store.StatusComplete
		}
		k.commit(c)
	}
	k.loaded("b")
	marks := k.marks("a", "b")
	outcome := removal(k, marks)
	for n := 0; outcome == store.Partly; n++ {
		if n > 100 {
			k.Fatal("it never ends")
		}
		claimed, err := k.store.ClaimByID(k.ctx, k.ids("a", "b"), k.claim(long))
		k.noError(err)
		k.equal("claimed while they are removed", len(claimed), 0)
		for _, out := range k.deliverAll(
			store.Delivery{Session: k.id("a"), Key: "k", Decide: always(answer(k.id("a"), "ask", 1))},
			store.Delivery{Session: k.id("b"), Key: "k", Decide: always(answer(k.id("b"), "ask", 1))}) {
			k.isError(out.Err, store.ErrSessionNotFound)
		}
		outcome = removal(k, marks)
	}
	k.equal("outcome", outcome, store.Removed)
	k.gone("a")
	k.gone("b")
}

func retentionTogether(k *kit) {
	for _, name := range []string{"a", "b", "c", "d", "late", "batched"} {
		k.loaded(name)
	}
	families := [][]store.SessionMark{k.marks("a"), k.marks("b", "late"), {{ID: k.id("never")}}, k.marks("d")}
	k.deliver(k.id("late"), "late", answer(k.id("late"), "ask", 9))
	got, err := k.store.RemoveFamilies(k.ctx, families)
	k.noError(err)
	k.equal("outcomes", got, []store.Removal{store.Removed, store.Changed, store.Removed, store.Removed})
	k.gone("a")
	k.gone("d")
	k.inBatch("one", k.id("batched"), store.BatchRunning)
	got, err = k.store.RemoveFamilies(k.ctx, [][]store.SessionMark{{{ID: k.id("never")}}, k.marks("c", "batched")})
	k.noError(err)
	k.equal("outcomes beside a batch", got, []store.Removal{store.Removed, store.InBatch})
	for _, name := range []string{"b", "late", "c", "batched"} {
		k.historyLength(k.id(name), 2, 1)
	}
}

// retentionMany removes more sessions than one call takes: each as a family of its own, and all as
// one family.
func retentionMany(k *kit) {
	const many = 450
	for _, size := range []int{1, many} {
		var marks []store.SessionMark
		var ids []string
		var ends []store.Checkpoint
		made := make([]store.NewSession, many)
		for i := range made {
			made[i] = k.newSession(fmt.Sprintf("s%d-%03d", size, i))
			made[i].Claim = &store.Lease{Token: k.token(), Owner: "storetest", For: long}
		}
		for _, rec := range k.createAll(made...) {
			c := k.checkpoint(rec)
			c.Release, c.Status = true, store.StatusComplete
			ends, ids = append(ends, c), append(ids, rec.ID)
			marks = append(marks, store.SessionMark{ID: rec.ID, Version: rec.Version + 1})
		}
		k.send(ends...)
		removeAll(k, slices.Collect(slices.Chunk(marks, size)))
		left, err := k.store.SessionsByID(k.ctx, ids)
		k.noError(err)
		k.equal("sessions left", len(left), 0)
	}
}

// removeAll removes families call after call.
func removeAll(k *kit, families [][]store.SessionMark) {
	k.Helper()
	for calls := 0; len(families) > 0; calls++ {
		if calls > 100 {
			k.Fatal("it never ends")
		}
		got, err := k.store.RemoveFamilies(k.ctx, families)
		k.noError(err)
		if got[0] == "" {
			k.Fatal("a call did not come to the first family")
		}
		if last := families[0][len(families[0])-1]; got[0] == store.Partly {
			there, err := k.store.SessionsByID(k.ctx, []string{last.ID})
			k.noError(err)
			k.equal("the last session of a family that is partly there", len(there), 1)
		}
		for len(got) > 0 && got[0] == store.Removed {
			got, families = got[1:], families[1:]
		}
	}
}

func retentionParents(k *kit) {
	for _, name := range []string{"a", "a/m/1/0", "a/m/1/0/s/1/0", "ab", "a0", "a.", "b/m/1/0"} {
		k.create(k.newSession(name))
	}
	got, err := k.store.Parents(k.ctx, k.ids("ab", "a", "a0", "a/m/1/0", "a/m/1/0/s/1/0", "never", "b"))
	k.noError(err)
	k.equal("parents", slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(k.ids("a", "a/m/1/0", "b"))))
	got, err = k.store.Parents(k.ctx, nil)
	k.noError(err)
	k.equal("parents of none", len(got), 0)
}

func retentionKey(k *kit) {
	k.equal("exists", k.start(k.keyed("a", "key", "h")).Exists, false)
	c := k.checkpoint(k.claimOne("a", long).Session)
	c.Release, c.Status = true, store.StatusComplete
	k.commit(c)
	k.removes(k.marks("a"), store.Removed)
	again := k.start(k.keyed("b", "key", "other"))
	k.noError(again.Err)
	k.equal("exists", again.Exists, false)
}

func dutyOne(k *kit) {
	has := func(owner string) bool {
		ok, err := k.store.TakeDuty(k.ctx, k.id("duty"), owner, time.Minute)
		k.noError(err)
		return ok
	}
	k.equal("the first", has("a"), true)
	k.equal("another", has("b"), false)
	k.equal("the first again", has("a"), true)
	other, err := k.store.TakeDuty(k.ctx, k.id("other duty"), "b", time.Minute)
	k.noError(err)
	k.equal("another duty", other, true)
}

func dutyEnds(k *kit) {
	take := func(owner string, d time.Duration) bool {
		ok, err := k.store.TakeDuty(k.ctx, k.id("duty"), owner, d)
		k.noError(err)
		return ok
	}
	k.equal("taken", take("a", 20*time.Millisecond), true)
	k.pass(k.now().Add(40 * time.Millisecond))
	k.equal("after its end", take("b", time.Minute), true)
	k.equal("given back", take("b", 0), true)
	k.equal("taken after that", take("a", time.Minute), true)
}

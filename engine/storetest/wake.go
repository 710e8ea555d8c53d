package storetest

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine/store"
)

var wakeCases = []testCase{
	{"pending sessions of a workflow become due at once", wakePending},
	{"pending sessions are woken page by page, each once", wakePages},
	{"pending sessions that were tried with the definition are left alone", wakeTried},
	{"workflows with pending sessions", wakeWorkflows},
}

func wakePending(k *kit) {
	k.atRest("one", withStatus(store.StatusPending))
	k.atRest("two", withStatus(store.StatusPending), func(c *store.Checkpoint) { c.DueAt = k.now().Add(long) })
	ask := k.atRest("ask", asking(since(1), "ask"))
	held := k.held("held")
	c := k.checkpoint(held)
	c.Status = store.StatusPending
	k.commit(c)
	held = k.session("held")
	other := k.newSession("other")
	other.Workflow, other.Status, other.Claim = k.id("other"), store.StatusPending, k.lease()
	rest := k.checkpoint(k.create(other))
	rest.Status, rest.Release = store.StatusPending, true
	k.commit(rest)
	n, err := k.store.WakePending(k.ctx, k.prefix, "", 10)
	k.noError(err)
	k.equal("woken", n, 2)
	for _, name := range []string{"one", "two"} {
		got := k.session(name)
		k.near("due_at of "+name, got.DueAt)
		k.equal("version of "+name, got.Version, int64(1))
	}
	k.sameRecord("one that waits", k.session("ask"), ask)
	k.sameRecord("one that is held", k.session("held"), held)
	k.equal("one of another workflow is not due", k.session("other").DueAt.IsZero(), true)
	n, err = k.store.WakePending(k.ctx, k.id("not-there"), "", 10)
	k.noError(err)
	k.equal("woken of no workflow", n, 0)
}

func wakePages(k *kit) {
	for _, name := range []string{"one", "two", "three", "four", "five"} {
		k.atRest(name, withStatus(store.StatusPending))
	}
	for _, want := range []int{2, 2, 1, 0} {
		n, err := k.store.WakePending(k.ctx, k.prefix, "", 2)
		k.noError(err)
		k.equal("woken", n, want)
	}
}

func wakeTried(k *kit) {
	tried := func(definition string) func(c *store.Checkpoint) {
		return func(c *store.Checkpoint) { c.Status, c.Tried = store.StatusPending, definition }
	}
	k.atRest("never", withStatus(store.StatusPending))
	k.atRest("before", tried("d1"))
	now := k.atRest("now", tried("d2"))
	n, err := k.store.WakePending(k.ctx, k.prefix, "d2", 10)
	k.noError(err)
	k.equal("woken", n, 2)
	k.near("due_at of one tried with another definition", k.session("before").DueAt)
	k.sameRecord("one tried with this definition", k.session("now"), now)

	for _, name := range []string{"never", "before"} {
		row := k.checkpoint(k.claimOne(name, long).Session)
		row.Status, row.Release, row.Tried = store.StatusPending, true, "d2"
		k.commit(row)
	}
	n, err = k.store.WakePending(k.ctx, k.prefix, "d2", 10)
	k.noError(err)
	k.equal("woken a second time", n, 0)
	n, err = k.store.WakePending(k.ctx, k.prefix, "d3", 10)
	k.noError(err)
	k.equal("woken for a new definition", n, 3)
}

func wakeWorkflows(k *kit) {
	k.atRest("one", withStatus(store.StatusPending))
	k.atRest("two", withStatus(store.StatusPending))
	other := k.newSession("other")
	other.Workflow = k.id("other")
	k.create(other)
	find := func() (mine, others int) {
		k.Helper()
		ids, err := k.store.PendingWorkflows(k.ctx)
		k.noError(err)
		for _, id := range ids {
			switch id {
			case k.prefix:
				mine++
			case k.id("other"):
				others++
			}
		}
		k.equal("doubles", len(ids)-len(slices.Compact(slices.Sorted(slices.Values(ids)))), 0)
		return mine, others
	}
	mine, others := find()
	k.equal("mine and others", []int{mine, others}, []int{1, 0})
	for _, name := range []string{"one", "two"} {
		c := k.checkpoint(k.claimOne(name, long).Session)
		c.Status, c.Release = store.StatusComplete, true
		k.commit(c)
	}
	mine, _ = find()
	k.equal("mine when none is pending", mine, 0)
}

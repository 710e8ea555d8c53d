package storetest

import "github.com/stepgraph/stepgraph/engine/store"

var countCases = []testCase{
	{"by status, workflow, both and step", countGroups},
	{"of a query, without its page", countQuery},
	{"by something else is a bad request", countUnknown},
}

func countGroups(k *kit) {
	k.atRest("done", withStatus(store.StatusComplete))
	k.atRest("done too", withStatus(store.StatusComplete))
	k.atRest("ask", asking(since(1), "ask"))
	k.atRest("both", asking(since(2), "ask", "other"))
	q, w := store.SessionQuery{Workflow: k.prefix}, k.prefix
	k.counts(q, "status", map[string]int64{"complete": 2, "awaiting_input": 2})
	k.counts(q, "workflow", map[string]int64{w: 4})
	k.counts(q, "workflow,status", map[string]int64{w + ",complete": 2, w + ",awaiting_input": 2})
	k.counts(q, "step", map[string]int64{w + "/ask": 2, w + "/other": 1})
}

func countQuery(k *kit) {
	k.atRest("done", withStatus(store.StatusComplete))
	k.atRest("ask", asking(since(1), "ask"))
	k.atRest("late", asking(since(9), "ask"))
	all := store.SessionQuery{Workflow: k.prefix, Limit: 1, After: store.Cursor{At: since(1), ID: k.id("a")}}
	k.counts(all, "status", map[string]int64{"complete": 1, "awaiting_input": 2})
	k.counts(store.SessionQuery{Workflow: k.prefix, WaitingBefore: since(5)}, "step", map[string]int64{k.prefix + "/ask": 1})
	k.counts(store.SessionQuery{IDs: k.ids("done", "ask")}, "workflow", map[string]int64{k.prefix: 2})
	k.counts(store.SessionQuery{Workflow: k.id("not-there")}, "status", nil)
}

func countUnknown(k *kit) {
	_, err := k.store.CountSessions(k.ctx, store.SessionQuery{Workflow: k.prefix}, "colour")
	k.isError(err, store.ErrBadRequest)
}

package storetest

import (
	"github.com/stepgraph/stepgraph/engine/store"
)

var inboxCases = []testCase{
	{"requests above a number, session by session", inboxRequests},
	{"inbox number and token of those that exist", inboxStates},
	{"all requests by page", inboxPages},
}

func inboxRequests(k *kit) {
	a, b := k.held("a"), k.held("b")
	k.held("empty")
	for _, key := range []string{"one", "two", "three"} {
		k.deliver(a.ID, key, signal())
		k.deliver(b.ID, key, signal())
	}
	k.applied("a", "three")
	found, err := k.store.Requests(k.ctx, []store.InboxAfter{
		{Session: a.ID, N: 1}, {Session: b.ID, N: 3}, {Session: k.id("empty")}, {Session: k.id("not-there")}})
	k.noError(err)
	k.equal("sessions", len(found), 1)
	k.equal("requests, applied ones too", keysOf(found[a.ID], false), "two three")
	k.equal("numbers", []int64{found[a.ID][0].N, found[a.ID][1].N}, []int64{2, 3})
	found, err = k.store.Requests(k.ctx, []store.InboxAfter{{Session: b.ID, N: 2}, {Session: a.ID}})
	k.noError(err)
	k.equal("of both", keysOf(found[a.ID], false)+"; "+keysOf(found[b.ID], false), "one two three; three")
	found, err = k.store.Requests(k.ctx, nil)
	k.noError(err)
	k.equal("of one that is not there", len(found), 0)
}

func inboxStates(k *kit) {
	a, late := k.held("a"), k.expired("late")
	k.atRest("resting")
	k.deliver(a.ID, "key", signal())
	got, err := k.store.Inboxes(k.ctx, k.ids("a", "late", "resting", "not-there"))
	k.noError(err)
	k.equal("inboxes", got, map[string]store.InboxState{
		a.ID: {Inbox: 1, Lease: a.Lease}, late.ID: {Lease: late.Lease}, k.id("resting"): {}})
	got, err = k.store.Inboxes(k.ctx, nil)
	k.noError(err)
	k.equal("inboxes of one that is not there", len(got), 0)
}

func inboxPages(k *kit) {
	r := k.held("a")
	for _, key := range []string{"1", "2", "3", "4", "5"} {
		k.deliver(r.ID, key, signal())
	}
	k.applied("a", "2", "4")
	page := func(q store.HistoryQuery) string {
		k.Helper()
		all, err := k.store.AllRequests(k.ctx, r.ID, q)
		k.noError(err)
		return keysOf(all, false)
	}
	k.equal("all", page(store.HistoryQuery{}), "1 2 3 4 5")
	k.equal("first two", page(store.HistoryQuery{Limit: 2}), "1 2")
	k.equal("after", page(store.HistoryQuery{After: 2, Limit: 2}), "3 4")
	k.equal("newest", page(store.HistoryQuery{Newest: true, Limit: 2}), "4 5")
	k.equal("before", page(store.HistoryQuery{Before: 4, Newest: true, Limit: 2}), "2 3")
}

package storetest

import (
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

var guardCases = []testCase{
	{"a stale token is lost", guardToken},
	{"a stale version is lost", guardVersion},
	{"without a token it is lost", guardNoToken},
	{"an unknown session is lost", guardUnknown},
	{"a lease that ran out still counts until somebody takes it", guardExpired},
	{"a lost row writes nothing at all", guardNothing},
	{"each row for itself, results in order", guardMixed},
}

func guardToken(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	c.Lease = k.token()
	k.outcome(c, store.Lost)
	k.sameRecord("session", k.session("a"), r)
}

func guardVersion(k *kit) {
	r := k.held("a")
	k.commit(k.checkpoint(r))
	want := k.session("a")
	k.outcome(k.checkpoint(r), store.Lost)
	ahead := k.checkpoint(want)
	ahead.Version++
	k.outcome(ahead, store.Lost)
	k.sameRecord("session", k.session("a"), want)
}

func guardNoToken(k *kit) {
	r := k.create(k.newSession("a"))
	k.outcome(k.checkpoint(r), store.Lost)
	c := k.checkpoint(k.held("b"))
	c.Lease = ""
	k.outcome(c, store.Lost)
}

func guardUnknown(k *kit) {
	c := k.checkpoint(store.SessionRecord{ID: k.id("not-there"), Lease: k.token()})
	k.outcome(c, store.Lost)
	k.missing("not-there")
}

func guardExpired(k *kit) {
	r := k.expired("a")
	k.outcome(k.checkpoint(r), store.Committed)
	late := k.expired("b")
	k.claimOne("b", long)
	k.outcome(k.checkpoint(late), store.Lost)
}

func guardNothing(k *kit) {
	parent := k.atRest("parent")
	r := k.held("a")
	k.deliver(r.ID, "key", signal())
	before := k.session("a")
	c := k.checkpoint(r)
	c.Lease = k.token()
	c.Executions = []store.Execution{execution(r.ID, 1, "root")}
	c.Messages = []function.Message{message(r.ID, 1)}
	c.Applied = []store.RequestOutcome{{ID: r.ID + "/key", Outcome: "x"}}
	c.Blobs = []store.Blob{{Hash: "h", Text: []byte("x")}, {Session: parent.ID, Hash: "h", Text: []byte("x")}}
	c.Results = []store.StoredResult{{Step: "loop", Visit: 1, Index: 0, Output: []byte("1")}}
	c.Children = []store.NewSession{k.newSession("child")}
	c.ToParent = &store.Request{Session: parent.ID, Key: "end", Kind: store.RequestChild}
	k.outcome(c, store.Lost)
	k.sameRecord("session", k.session("a"), before)
	k.sameRecord("parent", k.session("parent"), parent)
	k.historyLength(r.ID, 0, 0)
	k.equal("requests not applied", k.requestKeys(r.ID, true), "key")
	k.equal("blobs", len(k.blobs("a", "h"))+len(k.blobs("parent", "h")), 0)
	k.equal("results", len(k.results("a", "loop", 1)), 0)
	k.missing("child")
}

func guardMixed(k *kit) {
	a, b, c := k.held("a"), k.held("b"), k.held("c")
	stale := k.checkpoint(b)
	stale.Version = 7
	unknown := k.checkpoint(store.SessionRecord{ID: k.id("not-there"), Lease: "x"})
	got := k.send(k.checkpoint(c), stale, k.checkpoint(a), unknown)
	k.equal("outcomes", got, []store.CommitOutcome{store.Committed, store.Lost, store.Committed, store.Lost})
	k.equal("versions", []int64{k.session("a").Version, k.session("b").Version, k.session("c").Version}, []int64{1, 0, 1})
}

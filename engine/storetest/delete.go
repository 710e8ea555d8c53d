package storetest

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine/store"
)

var deleteCases = []testCase{
	{"leaves nothing behind", deleteEverything},
	{"can be called again until nothing is there", deleteAgain},
	{"not while somebody holds the session", deleteBusy},
	{"of one whose lease ran out", deleteExpired},
	{"an id can be used again and begins with nothing", deleteReuse},
	{"children stay", deleteParent},
	{"a child is not a child any more", deleteChild},
	{"much history goes in bounded batches", deleteMuch},
}

func deleteEverything(k *kit) {
	k.loaded("a")
	other := k.loaded("a/b")
	k.deleteAll("a")
	k.gone("a")
	k.sameRecord("another session", k.session("a/b"), other)
	k.historyLength(other.ID, 2, 1)
	k.equal("blobs of another session", len(k.blobs("a/b", "h")), 1)
	k.equal("results of another session", len(k.results("a/b", "loop", 1)), 1)
	k.equal("requests of another session", k.requestKeys(other.ID, false), "key")
}

func deleteAgain(k *kit) {
	k.loaded("a")
	k.deleteAll("a")
	_, err := k.store.DeleteSession(k.ctx, k.id("a"))
	k.isError(err, store.ErrSessionNotFound)
}

func deleteBusy(k *kit) {
	r := k.held("a")
	_, err := k.store.DeleteSession(k.ctx, r.ID)
	k.isError(err, store.ErrSessionBusy)
	k.sameRecord("session", k.session("a"), r)
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: r.ID, Token: r.Lease}}))
	k.deleteAll("a")
	k.gone("a")
}

func deleteExpired(k *kit) {
	late := k.expired("a")
	k.deleteAll("a")
	k.outcome(k.checkpoint(late), store.Lost)
	k.gone("a")
}

func deleteReuse(k *kit) {
	r := k.loaded("a")
	k.deleteAll("a")
	again := k.create(k.newSession("a"))
	k.equal("inbox, version", []int64{again.Inbox, again.Version}, []int64{0, 0})
	k.historyLength(r.ID, 0, 0)
	k.equal("number of the first request", k.deliver(r.ID, "key", answer(r.ID, "ask", 1)).Request.N, int64(1))
	c := k.checkpoint(k.claimOne("a", long).Session)
	c.Executions = []store.Execution{execution(r.ID, 1, "one")}
	k.commit(c)
	k.historyLength(r.ID, 1, 0)
}

func deleteParent(k *kit) {
	c := k.checkpoint(k.held("a"))
	c.Release, c.Children = true, []store.NewSession{k.newSession("child")}
	k.commit(c)
	want := k.session("child")
	k.deleteAll("a")
	k.gone("a")
	k.sameRecord("child", k.session("child"), want)
	k.create(k.newSession("a"))
	ids, err := k.store.Children(k.ctx, k.id("a"))
	k.noError(err)
	k.equal("children of the new one", len(ids), 0)
	k.deleteAll("child")
	k.gone("child")
}

func deleteChild(k *kit) {
	c := k.checkpoint(k.held("a"))
	c.Children = []store.NewSession{k.newSession("one"), k.newSession("two")}
	k.commit(c)
	k.deleteAll("one")
	ids, err := k.store.Children(k.ctx, k.id("a"))
	k.noError(err)
	k.equal("children", ids, k.ids("two"))
}

func deleteMuch(k *kit) {
	r := k.held("a")
	for batch := range 5 {
		c := k.checkpoint(k.session("a"))
		for i := range 500 {
			c.Executions = append(c.Executions, execution(r.ID, int64(batch*500+i+1), "step"))
			c.Messages = append(c.Messages, message(r.ID, int64(batch*500+i+1)))
		}
		for i := range 20 {
			c.Blobs = append(c.Blobs, store.Blob{Hash: fmt.Sprintf("h%d-%d", batch, i), Text: []byte("x")})
		}
		c.Release = batch == 4
		k.commit(c)
	}
	k.deleteAll("a")
	k.gone("a")
	k.equal("blobs", len(k.blobs("a", "h0-0", "h4-19")), 0)
}

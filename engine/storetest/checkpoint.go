package storetest

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

var checkpointCases = []testCase{
	{"what is written is what is read", checkpointAll},
	{"what is not set goes, what is nil stays", checkpointNil},
	{"a claim counter starts anew", checkpointClaims},
	{"read, change, write by eight loses nothing", checkpointNoLostUpdate},
	{"a cancelled context writes nothing", checkpointCancelled},
	{"what the caller changes later does not count", checkpointAliased},
	{"marks requests as applied", checkpointApplied},
	{"none", checkpointNone},
}

func checkpointAll(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "key", signal())
	c := k.checkpoint(r)
	asking(since(7), "ask")(&c)
	c.Seen, c.Counters = 1, []byte(`{"seq":2,"seen":1}`)
	c.Executions = []store.Execution{execution(r.ID, 1, "root"), execution(r.ID, 2, "ask")}
	c.Messages = []function.Message{message(r.ID, 1)}
	result := k.outcome(c, store.Committed)
	k.equal("inbox of the result", result.Inbox, int64(1))
	k.near("now of the result", result.Now)
	got := k.session("a")
	k.equal("texts", []string{string(got.State), string(got.Counters), string(got.Awaiting), got.Status, got.Transition},
		[]string{string(c.State), string(c.Counters), string(c.Awaiting), c.Status, c.Transition})
	k.equal("version", got.Version, r.Version+1)
	k.sameTime("awaiting_since", got.AwaitingSince, since(7))
	k.sameTime("created_at", got.CreatedAt, r.CreatedAt)
	k.sameTime("updated_at", got.UpdatedAt, result.Now)
	if got.UpdatedAt.Before(r.UpdatedAt) {
		k.Errorf("updated_at went back from %v to %v", r.UpdatedAt, got.UpdatedAt)
	}
	k.historyLength(r.ID, 2, 1)
}

// Counters are treated like the state: nil leaves them.
func checkpointNil(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	asking(since(1), "ask")(&c)
	c.State, c.Counters = []byte(`not JSON`), []byte(`{"seq":9}`)
	k.commit(c)
	c = k.checkpoint(k.session("a"))
	c.State, c.Counters = nil, nil
	k.commit(c)
	got := k.session("a")
	k.equal("state and counters", string(got.State)+string(got.Counters), `not JSON{"seq":9}`)
	k.equal("awaiting", string(got.Awaiting), "")
	k.equal("awaiting_since is zero", got.AwaitingSince.IsZero(), true)
	k.equal("version", got.Version, int64(2))
	k.lists("awaiting", store.SessionQuery{Workflow: k.prefix, Awaiting: true})
	k.lists("oldest waiting", store.SessionQuery{Workflow: k.prefix, OldestWaiting: true})
}

func checkpointClaims(k *kit) {
	k.expired("a")
	r := k.claimOne("a", long).Session
	k.equal("claims", r.Claims, 2)
	k.commit(k.checkpoint(r))
	k.equal("claims after a checkpoint", k.session("a").Claims, 0)
}

// A plain compare of the version loses most of these under read committed.
func checkpointNoLostUpdate(k *kit) {
	n := k.newSession("a")
	n.State, n.Claim = []byte(`0`), &store.Lease{Token: k.token(), Owner: "all", For: long}
	r := k.create(n)
	const workers, rounds = 8, 6
	k.race(workers, func(int) error {
		for done := 0; done < rounds; {
			wrote, err := k.increment(r.ID)
			if err != nil {
				return err
			}
			if wrote {
				done++
			}
		}
		return nil
	})
	got := k.session("a")
	k.equal("state", string(got.State), strconv.Itoa(workers*rounds))
	k.equal("version", got.Version, int64(workers*rounds))
	k.historyLength(r.ID, workers*rounds, 0)
}

func checkpointCancelled(k *kit) {
	r := k.held("a")
	ctx, cancel := context.WithCancel(k.ctx)
	cancel()
	c := k.checkpoint(r)
	if _, err := k.store.Commit(ctx, []store.Checkpoint{c}); err == nil {
		k.Error("commit under a cancelled context gave no error")
	}
	if _, err := k.store.Session(ctx, r.ID); err == nil {
		k.Error("a read under a cancelled context gave no error")
	}
	var calls atomic.Int64
	out, err := k.store.Deliver(ctx, []store.Delivery{{Session: r.ID, Key: "key", Decide: func(store.InboxView) (*store.Request, error) {
		calls.Add(1)
		request := signal()
		return &request, nil
	}}})
	if err == nil && out[0].Err == nil {
		k.Errorf("a delivery under a cancelled context gave no error (%d decisions)", calls.Load())
	}
	k.sameRecord("session", k.session("a"), r)
	k.outcome(c, store.Committed)
}

func checkpointAliased(k *kit) {
	r := k.held("a")
	c := k.checkpoint(r)
	c.Awaiting = []byte(`[]`)
	e := execution(r.ID, 1, "root")
	e.Output = []byte(`{"a":1}`)
	c.Executions = []store.Execution{e}
	c.Blobs = []store.Blob{{Hash: "h", Text: []byte("blob")}}
	state := string(c.State)
	k.commit(c)
	for _, b := range [][]byte{c.State, c.Counters, c.Awaiting, e.Output, c.Blobs[0].Text} {
		b[0] = 'X'
	}
	got := k.session("a")
	k.equal("texts", string(got.State)+string(got.Counters)+string(got.Awaiting), state+`{"seq":1}[]`)
	es, err := k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("output", string(es[0].Output), `{"a":1}`)
	es[0].Output[0] = 'X'
	es, err = k.store.Executions(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("output read again", string(es[0].Output), `{"a":1}`)
	k.equal("blob", k.blobs("a", "h"), map[string]string{"h": "blob"})
}

func checkpointApplied(k *kit) {
	r := k.held("a")
	for _, key := range []string{"one", "two", "three"} {
		k.deliver(r.ID, key, signal())
	}
	c := k.checkpoint(r)
	c.Seen = 3
	c.Applied = []store.RequestOutcome{{ID: r.ID + "/one", Outcome: "did it"}, {ID: r.ID + "/three", Outcome: ""}, {ID: r.ID + "/nothing", Outcome: "x"}}
	k.commit(c)
	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	var got []string
	for _, q := range all {
		got = append(got, fmt.Sprintf("%s %v %q", q.Key, q.Applied, q.Outcome))
	}
	k.equal("requests", got, []string{`one true "did it"`, `two false ""`, `three true ""`})
}

func checkpointNone(k *kit) {
	k.equal("outcomes", len(k.send()), 0)
}

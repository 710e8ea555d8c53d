package storetest

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/engine/store"
)

// deliver puts one request into an inbox, whatever is there.
func (k *kit) deliver(session, key string, r store.Request) store.Delivered {
	k.Helper()
	d := k.deliverAll(store.Delivery{Session: session, Key: key, Decide: always(r)})[0]
	k.noError(d.Err)
	return d
}

// deliverAll delivers in one call.
func (k *kit) deliverAll(deliveries ...store.Delivery) []store.Delivered {
	k.Helper()
	out, err := k.store.Deliver(k.ctx, deliveries)
	k.noError(err)
	if len(out) != len(deliveries) {
		k.Fatalf("%d results for %d deliveries", len(out), len(deliveries))
	}
	return out
}

// always decides to write a request.
func always(r store.Request) func(store.InboxView) (*store.Request, error) {
	return func(store.InboxView) (*store.Request, error) { return &r, nil }
}

// signal is a request without a target.
func signal() store.Request {
	return store.Request{Kind: store.RequestSignal, Body: []byte(`{"name":"go"}`)}
}

// answer is the answer to one question of a session.
func answer(session, step string, visit int) store.Request {
	return store.Request{Kind: store.RequestAnswer, Step: step, Visit: visit, Ask: 1,
		Target: fmt.Sprintf("%s/%s/%d/1", session, step, visit), Body: []byte(`"yes"`), BodyHash: "h"}
}

// requestKeys are the keys of a session's requests in order; open only those that are
// not applied.
func (k *kit) requestKeys(session string, open bool) string {
	k.Helper()
	all, err := k.store.AllRequests(k.ctx, session, store.HistoryQuery{Limit: 1000})
	k.noError(err)
	return keysOf(all, open)
}

func keysOf(requests []store.Request, open bool) string {
	var keys []string
	for _, r := range requests {
		if !open || !r.Applied {
			keys = append(keys, r.Key)
		}
	}
	return strings.Join(keys, " ")
}

func keyOf(r *store.Request) string {
	if r == nil {
		return ""
	}
	return r.Key
}

// applied writes a checkpoint that marks requests.
func (k *kit) applied(name string, keys ...string) {
	k.Helper()
	r := k.session(name)
	c := k.checkpoint(r)
	for _, key := range keys {
		c.Applied = append(c.Applied, store.RequestOutcome{ID: r.ID + "/" + key, Outcome: "done"})
	}
	k.commit(c)
}

// numbered wants the requests of a session to be numbered from 1 to n, all different.
func (k *kit) numbered(session string, n int) {
	k.Helper()
	all, err := k.store.AllRequests(k.ctx, session, store.HistoryQuery{Limit: 1000})
	k.noError(err)
	k.equal("requests", len(all), n)
	keys := make(map[string]bool)
	for i, r := range all {
		if r.N != int64(i+1) {
			k.Errorf("request %q has number %d, want %d", r.Key, r.N, i+1)
		}
		keys[r.Key] = true
	}
	k.equal("keys", len(keys), n)
	inboxes, err := k.store.Inboxes(k.ctx, []string{session})
	k.noError(err)
	k.equal("inbox", inboxes[session].Inbox, int64(n))
}

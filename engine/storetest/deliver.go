package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

var deliverCases = []testCase{
	{"what is delivered is what is read", deliverAndRead},
	{"to a session that is not there", deliverMissing},
	{"an error of Decide leaves nothing", deliverRefused},
	{"nothing to write writes nothing", deliverNothing},
	{"a key counts once, whatever Decide says", deliverKey},
	{"a target counts once, whatever Decide says", deliverTarget},
	{"to a held session only counts the inbox up", deliverHeld},
	{"to one that is not held wakes it and forgives its claims", deliverWakes},
	{"numbers have no gaps and no doubles under a race", deliverRace},
	{"one key from many at once is written once", deliverKeyRace},
	{"one question answered by many at once has one answer", deliverTargetRace},
	{"while checkpoints are written nothing is lost", deliverBesideCheckpoints},
}

func deliverAndRead(k *kit) {
	r := k.atRest("a")
	request := answer(r.ID, "ask", 3)
	request.Body, request.By = []byte(`{"z":1.0,"a":[1,2.50,"ü\u0041"]}`), "Ada"
	out := k.deliver(r.ID, "key 1", request)
	want := request
	want.ID, want.Session, want.Key, want.N, want.At = r.ID+"/key 1", r.ID, "key 1", 1, k.now()
	k.near("at", out.Request.At)
	want.At = out.Request.At
	k.sameRequest("delivered", *out.Request, want)
	after := r
	after.Inbox, after.DueAt = 1, out.Session.DueAt
	k.near("due_at", out.Session.DueAt)
	k.sameRecord("session of the result", out.Session, after)
	k.sameRecord("session", k.session("a"), after)
	if out.Claimed != nil {
		k.Error("claimed without being asked to")
	}
	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("requests", len(all), 1)
	k.sameRequest("read", all[0], want)
}

func deliverMissing(k *kit) {
	out := k.deliverAll(store.Delivery{Session: k.id("not-there"), Key: "key", Decide: func(store.InboxView) (*store.Request, error) {
		return nil, errors.New("asked to decide about a session that is not there")
	}})
	k.isError(out[0].Err, store.ErrSessionNotFound)
}

func deliverRefused(k *kit) {
	r := k.atRest("a")
	out := k.deliverAll(store.Delivery{Session: r.ID, Key: "key", Claim: &store.Lease{Token: k.token(), For: long},
		Decide: func(store.InboxView) (*store.Request, error) {
			return nil, fmt.Errorf("wrapped: %w", store.ErrNoOpenQuestion)
		}})
	k.isError(out[0].Err, store.ErrNoOpenQuestion)
	k.sameRecord("session", k.session("a"), r)
	k.equal("requests", k.requestKeys(r.ID, false), "")
	k.deliver(r.ID, "key", signal())
}

// Without a request there is nothing to work on, so no lease is taken either.
func deliverNothing(k *kit) {
	r := k.atRest("a")
	out := k.deliverAll(store.Delivery{Session: r.ID, Key: "key", Claim: &store.Lease{Token: k.token(), For: long},
		Decide: func(store.InboxView) (*store.Request, error) { return nil, nil }})
	k.noError(out[0].Err)
	if out[0].Request != nil || out[0].Claimed != nil {
		k.Errorf("got %+v, want no request and no claim", out[0])
	}
	k.sameRecord("session of the result", out[0].Session, r)
	k.sameRecord("session", k.session("a"), r)
	k.equal("requests", k.requestKeys(r.ID, false), "")
}

func deliverKey(k *kit) {
	r := k.atRest("a")
	k.deliver(r.ID, "key", signal())
	want := k.session("a")
	out := k.deliverAll(store.Delivery{Session: r.ID, Key: "key", Decide: always(signal())})
	k.isError(out[0].Err, store.ErrKeyReused)
	k.sameRecord("session", k.session("a"), want)
	none := k.deliverAll(store.Delivery{Session: r.ID, Decide: always(signal())})
	k.isError(none[0].Err, store.ErrBadRequest)
	own := signal()
	own.Key = "own"
	k.equal("key of the request itself", k.deliver(r.ID, "", own).Request.ID, r.ID+"/own")
	k.equal("another session's key", k.deliver(k.atRest("b").ID, "key", signal()).Request.N, int64(1))
}

func deliverTarget(k *kit) {
	r := k.atRest("a")
	k.deliver(r.ID, "one", answer(r.ID, "ask", 1))
	want := k.session("a")
	out := k.deliverAll(store.Delivery{Session: r.ID, Key: "two", Decide: always(answer(r.ID, "ask", 1))})
	k.isError(out[0].Err, store.ErrAlreadyAnswered)
	k.sameRecord("session", k.session("a"), want)
	k.deliver(r.ID, "three", answer(r.ID, "ask", 2))
	k.deliver(r.ID, "four", signal())
	k.deliver(r.ID, "five", signal())
	k.equal("requests", k.requestKeys(r.ID, false), "one three four five")
}

func deliverHeld(k *kit) {
	r := k.held("a")
	want := r
	want.Inbox = 1
	out := k.deliver(r.ID, "key", signal())
	k.sameRecord("session of the result", out.Session, want)
	k.sameRecord("session", k.session("a"), want)
}

func deliverWakes(k *kit) {
	r := k.expired("a")
	k.equal("claims", r.Claims, 1)
	k.deliver(r.ID, "key", signal())
	got := k.session("a")
	k.equal("claims", got.Claims, 0)
	k.near("due_at", got.DueAt)
}

func deliverRace(k *kit) {
	r := k.atRest("a")
	k.race(8, func(i int) error {
		for j := range 4 {
			out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: r.ID, Key: fmt.Sprintf("%d-%d", i, j), Decide: always(signal())}})
			if err != nil || out[0].Err != nil {
				return errors.Join(err, out[0].Err)
			}
		}
		return nil
	})
	k.numbered(r.ID, 32)
}

func deliverKeyRace(k *kit) {
	r := k.atRest("a")
	var written atomic.Int64
	k.race(8, func(int) error {
		out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: r.ID, Key: "key", Decide: func(v store.InboxView) (*store.Request, error) {
			if v.Same != nil {
				return nil, nil
			}
			request := signal()
			return &request, nil
		}}})
		if err != nil {
			return err
		}
		if out[0].Request != nil {
			written.Add(1)
		}
		return out[0].Err
	})
	k.equal("written", written.Load(), int64(1))
	k.numbered(r.ID, 1)
}

func deliverTargetRace(k *kit) {
	r := k.atRest("a")
	var written atomic.Int64
	target := answer(r.ID, "ask", 1).Target
	k.race(8, func(i int) error {
		out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: r.ID, Key: fmt.Sprint(i), Decide: func(v store.InboxView) (*store.Request, error) {
			if before, err := v.ByTarget(target); err != nil || before != nil {
				return nil, errors.Join(err, store.ErrAlreadyAnswered)
			}
			request := answer(r.ID, "ask", 1)
			return &request, nil
		}}})
		switch {
		case err != nil:
			return err
		case out[0].Err == nil:
			written.Add(1)
		case !errors.Is(out[0].Err, store.ErrAlreadyAnswered):
			return out[0].Err
		}
		return nil
	})
	k.equal("written", written.Load(), int64(1))
	k.numbered(r.ID, 1)
}

func deliverBesideCheckpoints(k *kit) {
	n := k.newSession("a")
	n.State, n.Claim = []byte(`0`), &store.Lease{Token: k.token(), Owner: "all", For: long}
	r := k.create(n)
	k.race(6, func(i int) error {
		for j := range 4 {
			if i%2 == 0 {
				if _, err := k.increment(r.ID); err != nil {
					return err
				}
				continue
			}
			out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: r.ID, Key: fmt.Sprintf("%d-%d", i, j), Decide: always(signal())}})
			if err != nil || out[0].Err != nil {
				return errors.Join(err, out[0].Err)
			}
		}
		return nil
	})
	k.numbered(r.ID, 12)
	got := k.session("a")
	k.equal("state against version", string(got.State), fmt.Sprint(got.Version))
}

package storetest

import "github.com/stepgraph/stepgraph/engine/store"

var decideCases = []testCase{
	{"sees the session as it is", decideSession},
	{"sees the request of the same key", decideSame},
	{"sees what is not applied, in order", decideUnapplied},
	{"finds requests by target, applied ones too", decideTarget},
	{"finds the newest answer to a step", decideLastAnswer},
	{"what it changes in its view does not count", decideAliased},
}

// look returns a session as Decide sees it. A store may call Decide in a goroutine of its
// own, so inside must not stop the case: it only does what needs the lock.
func (k *kit) look(session, key string, inside ...func(v store.InboxView) error) store.InboxView {
	k.Helper()
	var view store.InboxView
	out := k.deliverAll(store.Delivery{Session: session, Key: key, Decide: func(v store.InboxView) (*store.Request, error) {
		view = v
		for _, f := range inside {
			if err := f(v); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}})
	k.noError(out[0].Err)
	return view
}

func decideSession(k *kit) {
	r := k.held("a")
	v := k.look(r.ID, "key")
	k.sameRecord("session", v.Session, r)
	k.near("now", v.Now)
}

func decideSame(k *kit) {
	r := k.held("a")
	want := *k.deliver(r.ID, "key", answer(r.ID, "ask", 1)).Request
	k.applied("a", "key")
	want.Applied, want.Outcome = true, "done"
	v := k.look(r.ID, "key")
	if v.Same == nil {
		k.Fatal("the request of the same key is not there")
	}
	k.sameRequest("same", *v.Same, want)
	k.equal("another key", keyOf(k.look(r.ID, "other").Same), "")
	k.equal("another session", keyOf(k.look(k.held("b").ID, "key").Same), "")
}

func decideUnapplied(k *kit) {
	r := k.held("a")
	for _, key := range []string{"z", "y", "x", "w"} {
		k.deliver(r.ID, key, signal())
	}
	k.applied("a", "y", "z")
	k.equal("unapplied", keysOf(k.look(r.ID, "key").Unapplied, false), "x w")
}

func decideTarget(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "one", answer(r.ID, "ask", 1))
	k.deliver(r.ID, "two", answer(r.ID, "ask", 2))
	k.applied("a", "one")
	found := make([]string, 4)
	k.look(r.ID, "key", func(v store.InboxView) error {
		for visit := range found {
			request, err := v.ByTarget(answer(r.ID, "ask", visit).Target)
			if err != nil {
				return err
			}
			found[visit] = keyOf(request)
		}
		return nil
	})
	k.equal("answers by visit", found, []string{"", "one", "two", ""})
}

func decideLastAnswer(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "one", answer(r.ID, "ask", 1))
	k.deliver(r.ID, "two", answer(r.ID, "ask", 2))
	k.deliver(r.ID, "three", answer(r.ID, "other", 1))
	k.deliver(r.ID, "four", store.Request{Kind: store.RequestRetry, Step: "ask"})
	k.applied("a", "one", "two")
	found := make(map[string]string)
	k.look(r.ID, "key", func(v store.InboxView) error {
		for _, step := range []string{"ask", "other", "nothing"} {
			request, err := v.LastAnswer(step)
			if err != nil {
				return err
			}
			found[step] = keyOf(request)
		}
		return nil
	})
	k.equal("last answers", found, map[string]string{"ask": "two", "other": "three", "nothing": ""})
}

func decideAliased(k *kit) {
	r := k.held("a")
	k.deliver(r.ID, "one", answer(r.ID, "ask", 1))
	k.look(r.ID, "one", func(v store.InboxView) error {
		v.Session.State[0], v.Same.Body[0], v.Unapplied[0].Body[0] = 'X', 'X', 'X'
		return nil
	})
	k.equal("state", string(k.session("a").State), string(r.State))
	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{})
	k.noError(err)
	k.equal("body", string(all[0].Body), `"yes"`)
}

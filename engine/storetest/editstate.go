package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

var editStateCases = []testCase{
	{"replaces the state and wakes the session", editStateWrites},
	{"not while somebody holds the session", editStateBusy},
	{"not with another version", editStateVersion},
	{"not before a request that is not applied", editStateUnread},
	{"not of one that is not there", editStateMissing},
	{"takes away a lease that ran out", editStateExpired},
	{"of many at once with one version one wins", editStateRace},
}

// edit is a person's edit of a session at a version.
func (k *kit) edit(r store.SessionRecord) store.StateEdit {
	return store.StateEdit{
		Session: r.ID, Version: r.Version, Seen: r.Inbox, State: []byte(`{"edited": 1.0}`), Counters: []byte(`{"seq":7}`), Status: store.StatusPending,
		Request: store.Request{Key: k.token(), Kind: store.RequestState, Body: []byte(`{"why":"typo"}`), By: "Ada", Outcome: "edited"},
	}
}

// An edit is a version of its own: a second person who read the old one is told.
func editStateWrites(k *kit) {
	r := k.atRest("a")
	k.deliver(r.ID, "before", signal())
	edit := k.edit(r)
	edit.Seen = 1
	edit.Status, edit.Since = store.StatusAwaitingInput, since(3)
	edit.Awaiting = []byte(`[{"step":"ask","visit":1,"ask":1,"kind":"question","since":1}]`)
	out, err := k.store.EditState(k.ctx, edit)
	k.noError(err)
	got := k.session("a")
	k.sameRecord("session of the result", *out, got)
	k.equal("texts", []string{string(got.State), string(got.Counters), got.Status, string(got.Awaiting)},
		[]string{string(edit.State), string(edit.Counters), edit.Status, string(edit.Awaiting)})
	k.sameTime("awaiting_since", got.AwaitingSince, since(3))
	k.equal("version, inbox", []int64{got.Version, got.Inbox}, []int64{r.Version + 1, 2})
	k.near("due_at", got.DueAt)
	all, err := k.store.AllRequests(k.ctx, r.ID, store.HistoryQuery{After: 1})
	k.noError(err)
	k.equal("requests", len(all), 1)
	want := edit.Request
	want.ID, want.Session, want.N, want.Applied, want.At = r.ID+"/"+want.Key, r.ID, 2, true, got.DueAt
	k.sameRequest("request", all[0], want)
	k.equal("requests of a claim", keysOf(k.claimOne("a", long).Requests, false), "before")
}

func editStateBusy(k *kit) {
	r := k.held("a")
	_, err := k.store.EditState(k.ctx, k.edit(r))
	k.isError(err, store.ErrSessionBusy)
	wrong := k.edit(r)
	wrong.Version = 5
	_, err = k.store.EditState(k.ctx, wrong)
	k.isError(err, store.ErrSessionBusy)
	k.sameRecord("session", k.session("a"), r)
	k.equal("requests", k.requestKeys(r.ID, false), "")
}

func editStateVersion(k *kit) {
	r := k.atRest("a")
	old := k.edit(r)
	old.Version--
	_, err := k.store.EditState(k.ctx, old)
	k.isError(err, store.ErrVersionMismatch)
	k.sameRecord("session", k.session("a"), r)
	k.equal("requests", k.requestKeys(r.ID, false), "")
	_, err = k.store.EditState(k.ctx, k.edit(r))
	k.noError(err)
	_, err = k.store.EditState(k.ctx, k.edit(r))
	k.isError(err, store.ErrVersionMismatch)
}

// A request that came after the state was read is applied before any edit.
func editStateUnread(k *kit) {
	r := k.atRest("a")
	k.deliver(r.ID, "answer", answer(r.ID, "ask", 1))
	before := k.session("a")
	_, err := k.store.EditState(k.ctx, k.edit(r))
	k.isError(err, store.ErrSessionBusy)
	k.sameRecord("session", k.session("a"), before)
	k.equal("requests", k.requestKeys(r.ID, false), "answer")
}

func editStateMissing(k *kit) {
	_, err := k.store.EditState(k.ctx, k.edit(store.SessionRecord{ID: k.id("not-there")}))
	k.isError(err, store.ErrSessionNotFound)
}

func editStateExpired(k *kit) {
	r := k.expired("a")
	late := k.checkpoint(r)
	_, err := k.store.EditState(k.ctx, k.edit(r))
	k.noError(err)
	got := k.session("a")
	k.equal("lease, owner, claims", []any{got.Lease, got.LeaseOwner, got.Claims}, []any{"", "", 0})
	k.equal("no lease_until", got.LeaseUntil.IsZero(), true)
	k.outcome(late, store.Lost)
	late.Version++
	k.outcome(late, store.Lost)
}

func editStateRace(k *kit) {
	r := k.atRest("a")
	var won atomic.Int64
	k.race(6, func(i int) error {
		edit := k.edit(r)
		edit.State = []byte(fmt.Sprintf(`{"by":%d}`, i))
		switch _, err := k.store.EditState(k.ctx, edit); {
		case err == nil:
			won.Add(1)
		case !errors.Is(err, store.ErrVersionMismatch):
			return err
		}
		return nil
	})
	k.equal("won", won.Load(), int64(1))
	k.equal("version", k.session("a").Version, r.Version+1)
	k.numbered(r.ID, 1)
}

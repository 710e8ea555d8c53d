package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/stepgraph/stepgraph/engine/store"
)

var createCases = []testCase{
	{"what is created is what is read", createAndRead},
	{"created with a claim", createClaimed},
	{"a taken id is refused and changes nothing", createTaken},
	{"sent again it shows the lease it took", createSentAgain},
	{"two of one id in one call", createTwice},
	{"many at once with one id: one wins", createRace},
	{"a parent knows its children", createChildren},
	{"as made by hand, without status and counters", createBare},
	{"three hundred in one call", createMany},
	{"what the caller changes later does not count", createAliased},
	{"none", createNone},
}

func createAndRead(k *kit) {
	n := k.newSession("a")
	n.Labels = map[string]string{"team": "blue", "plan": "b"}
	n.Root = k.id("top")
	created := k.create(n)
	for what, r := range map[string]store.SessionRecord{"created": created, "read": k.session("a")} {
		k.equal(what+" texts", []string{r.ID, r.Workflow, r.Status, r.Root, string(r.State), string(r.Counters)},
			[]string{n.ID, n.Workflow, n.Status, n.Root, string(n.State), string(n.Counters)})
		k.equal(what+" labels", r.Labels, n.Labels)
		k.equal(what+" numbers", []int64{r.Version, r.Inbox, int64(r.Claims)}, []int64{0, 0, 0})
		k.equal(what+" awaiting, lease, owner, transition", string(r.Awaiting)+r.Lease+r.LeaseOwner+r.Transition, "")
		k.near(what+" created_at", r.CreatedAt)
		k.sameTime(what+" updated_at", r.UpdatedAt, r.CreatedAt)
		k.sameTime(what+" due_at", r.DueAt, r.CreatedAt)
		if !r.AwaitingSince.IsZero() || !r.LeaseUntil.IsZero() {
			k.Errorf("%s: awaiting_since %v and lease_until %v, want none", what, r.AwaitingSince, r.LeaseUntil)
		}
	}
	own := k.create(k.newSession("b"))
	k.equal("root of a session without one", own.Root, k.id("b"))
}

func createClaimed(k *kit) {
	n := k.newSession("a")
	n.Claim = &store.Lease{Token: k.token(), Owner: "engine 1", For: long}
	created := k.create(n)
	for what, r := range map[string]store.SessionRecord{"created": created, "read": k.session("a")} {
		k.equal(what+" lease", []any{r.Lease, r.LeaseOwner, r.Claims}, []any{n.Claim.Token, "engine 1", 1})
		k.sameTime(what+" lease_until", r.LeaseUntil, r.CreatedAt.Add(long))
		k.sameTime(what+" due_at", r.DueAt, r.LeaseUntil)
	}
	k.commit(k.checkpoint(created))
}

func createTaken(k *kit) {
	first := k.create(k.newSession("a"))
	second := k.newSession("a")
	second.State, second.Workflow = []byte(`{"second":true}`), k.id("other")
	results, err := k.store.Create(k.ctx, []store.NewSession{k.newSession("b"), second, k.newSession("c")})
	k.noError(err)
	k.isError(results[1].Err, store.ErrSessionExists)
	k.equal("exists", results[1].Exists, false)
	k.noError(results[0].Err)
	k.noError(results[2].Err)
	k.sameRecord("the first", k.session("a"), first)
	k.session("b")
	k.session("c")
}

// The answer to the first sending was lost. Another creation of the id is still refused.
func createSentAgain(k *kit) {
	n := k.newSession("a")
	n.Claim = k.lease()
	first := k.create(n)
	again := k.start(n)
	k.noError(again.Err)
	k.equal("exists, token", []any{again.Exists, again.Session.Lease}, []any{true, n.Claim.Token})
	k.sameRecord("session", again.Session, first)
	n.Claim = k.lease()
	k.isError(k.start(n).Err, store.ErrSessionExists)
	k.commit(k.checkpoint(again.Session))
}

func createTwice(k *kit) {
	second := k.newSession("a")
	second.State = []byte(`{"second":true}`)
	results, err := k.store.Create(k.ctx, []store.NewSession{k.newSession("a"), second})
	k.noError(err)
	k.noError(results[0].Err)
	k.isError(results[1].Err, store.ErrSessionExists)
	if bytes.Contains(k.session("a").State, []byte("second")) {
		k.Error("the second was written")
	}
}

func createRace(k *kit) {
	var made atomic.Int64
	k.race(8, func(int) error {
		results, err := k.store.Create(k.ctx, []store.NewSession{k.newSession("a")})
		switch {
		case err != nil:
			return err
		case results[0].Err == nil:
			made.Add(1)
		case !errors.Is(results[0].Err, store.ErrSessionExists):
			return results[0].Err
		}
		return nil
	})
	k.equal("sessions made", made.Load(), int64(1))
}

func createChildren(k *kit) {
	k.create(k.newSession("parent"))
	b, a := k.newSession("child b"), k.newSession("child a")
	a.Parent, b.Parent = k.id("parent"), k.id("parent")
	k.createAll(b, a)
	ids, err := k.store.Children(k.ctx, k.id("parent"))
	k.noError(err)
	k.equal("children", ids, k.ids("child a", "child b"))
	ids, err = k.store.Children(k.ctx, k.id("child a"))
	k.noError(err)
	k.equal("children of a child", len(ids), 0)
	ids, err = k.store.Children(k.ctx, k.id("not-there"))
	k.noError(err)
	k.equal("children of one that is not there", len(ids), 0)
}

// A SESSION made in a database browser has an id and a state, nothing else.
func createBare(k *kit) {
	k.create(store.NewSession{ID: k.id("a"), Workflow: k.prefix, State: []byte(`{}`)})
	r := k.claimOne("a", long).Session
	k.equal("status and counters", r.Status+string(r.Counters), "")
	k.equal("state", string(r.State), `{}`)
	k.commit(k.checkpoint(r))
	k.equal("status after a checkpoint", k.session("a").Status, store.StatusActive)
}

func createMany(k *kit) {
	var sessions []store.NewSession
	var ids []string
	for i := range 300 {
		n := k.newSession(fmt.Sprintf("s%03d", i))
		sessions, ids = append(sessions, n), append(ids, n.ID)
	}
	for i, r := range k.createAll(sessions...) {
		if r.ID != ids[i] {
			k.Fatalf("result %d is of %s, want %s", i, r.ID, ids[i])
		}
	}
	read, err := k.store.SessionsByID(k.ctx, append(ids, k.id("missing")))
	k.noError(err)
	k.equal("sessions read", len(read), 300)
	for _, r := range read {
		if want := fmt.Sprintf(`{"id":%q,"workflow":{}}`, r.ID); string(r.State) != want {
			k.Fatalf("state of %s is %s, want %s", r.ID, r.State, want)
		}
	}
}

func createAliased(k *kit) {
	n := k.newSession("a")
	n.Labels = map[string]string{"a": "b"}
	want := string(n.State)
	created := k.create(n)
	n.State[0], n.Labels["a"], created.State[1] = 'X', "X", 'X'
	read := k.session("a")
	k.equal("state", string(read.State), want)
	k.equal("labels", read.Labels, map[string]string{"a": "b"})
	read.State[0] = 'X'
	k.equal("state read again", string(k.session("a").State), want)
}

func createNone(k *kit) {
	results, err := k.store.Create(k.ctx, nil)
	k.noError(err)
	k.equal("results", len(results), 0)
	_, err = k.store.Session(k.ctx, k.id("not-there"))
	k.isError(err, store.ErrSessionNotFound)
	read, err := k.store.SessionsByID(k.ctx, nil)
	k.noError(err)
	k.equal("sessions of no ids", len(read), 0)
}

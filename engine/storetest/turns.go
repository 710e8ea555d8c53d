package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

var turnCases = []testCase{
	{"a workflow without limits: its due sessions are returned and stay as they are", turnsWithout},
	{"at most so many have their turn at once; the others are pending and not due", turnsAtOnce},
	{"a turn ends when its session rests, and the next in line gets it", turnsEnd},
	{"a session that runs on keeps its turn; one whose engine has died too", turnsKept},
	{"sessions that go on come before those that start", turnsGoOnFirst},
	{"each value of the concurrency key has a lane of its own", turnsKeyed},
	{"starts above the rate wait, and each gets its time", turnsRate},
	{"a cancelled session needs no turn", turnsCancelled},
	{"two engines at once never give more turns than the limit", turnsRace},
	{"limits that are taken away let all sessions go", turnsDropped},
	{"limits stand in the settings or on the node itself", turnsLimits},
	{"an edit of the workflow does not move sessions out of the queue", turnsNotWoken},
	{"a session that is deleted while it waits does not hold up the others", turnsDeleted},
}

// limited creates n sessions of a workflow, in order, and returns its limit.
func (k *kit) limited(n int, key string, atOnce int) store.TurnLimit {
	k.Helper()
	l := store.TurnLimit{Workflow: k.id("w"), AtOnce: atOnce, Keyed: key != ""}
	for i := range n {
		k.noError(k.freshOf(k.id(fmt.Sprintf("%s%d", key, i)), key))
		k.pass(k.now().Add(2 * time.Millisecond)) // the queue is in the order of milliseconds
	}
	return l
}

func (k *kit) freshOf(id, key string) error {
	created, err := k.store.Create(k.ctx, []store.NewSession{{ID: id, Workflow: k.id("w"), Status: store.StatusActive, State: []byte(`{}`), ConcurrencyKey: key}})
	if err != nil {
		return err
	}
	return created[0].Err
}

// turns are the sessions that may be claimed now.
func (k *kit) turns(limits ...store.TurnLimit) []string {
	k.Helper()
	return k.taken(limits...).names
}

type takenNames struct {
	names []string
	store.TurnsTaken
}

func (k *kit) taken(limits ...store.TurnLimit) takenNames {
	k.Helper()
	taken, err := k.store.TakeTurns(k.ctx, store.TurnQuery{Limits: limits, Most: 100})
	k.noError(err)
	out := takenNames{TurnsTaken: taken}
	for _, s := range taken.Sessions {
		k.equal("workflow of "+s.ID, s.Workflow, k.id("w"))
		out.names = append(out.names, strings.TrimPrefix(s.ID, k.prefix+"-"))
	}
	slices.Sort(out.names)
	return out
}

// among claims those of the sessions that are due.
func (k *kit) among(names ...string) []store.Claimed {
	k.Helper()
	o := k.claim(long)
	o.Among = k.ids(names...)
	claimed, err := k.store.Claim(k.ctx, o)
	k.noError(err)
	return claimed
}

// rested commits a checkpoint that gives the lease up.
func (k *kit) rested(c store.Claimed, status string) {
	k.Helper()
	results, err := k.store.Commit(k.ctx, []store.Checkpoint{{Session: c.Session.ID, Version: c.Session.Version, Lease: c.Session.Lease,
		Transition: k.token(), Seen: c.Session.Inbox, State: []byte(`{}`), Counters: []byte(`{}`), Status: status, Release: true}})
	k.noError(err)
	k.equal("outcome", results[0].Outcome, store.Committed)
}

func (k *kit) record(name string) *store.SessionRecord {
	k.Helper()
	rec, err := k.store.Session(k.ctx, k.id(name))
	k.noError(err)
	return rec
}

func turnsWithout(k *kit) {
	l := k.limited(2, "", 0)
	k.equal("due", k.turns(l), []string{"0", "1"})
	k.equal("status", k.record("0").Status, store.StatusActive)
	k.equal("claimed", len(k.among("0", "1")), 2)
	k.equal("due once leased", len(k.turns(l)), 0)
}

func turnsAtOnce(k *kit) {
	l := k.limited(5, "", 2)
	k.equal("first turns", k.turns(l), []string{"0", "1"})
	k.equal("the same are due again, until somebody claims them", k.turns(l), []string{"0", "1"})
	k.equal("claimed", len(k.among("0", "1", "2", "3", "4")), 2)
	k.equal("full", len(k.turns(l)), 0)
	k.equal("status of one that waits", k.record("2").Status, store.StatusPending)
	k.equal("it is not due", k.record("2").DueAt.IsZero(), true)
	turn, err := k.store.Turn(k.ctx, k.id("3"))
	k.noError(err)
	k.equal("ahead and running", []int{turn.Ahead, turn.Running}, []int{1, 2})
	k.equal("workflow", turn.Workflow, k.id("w"))
	k.near("since", turn.Since)
	turn, err = k.store.Turn(k.ctx, k.id("0"))
	k.noError(err)
	k.equal("turn of one that runs", turn == nil, true)
	lanes, err := k.store.Lanes(k.ctx, k.id("w"), 10)
	k.noError(err)
	k.equal("lanes", len(lanes), 1)
	k.equal("waiting and running", []int{lanes[0].Waiting, lanes[0].Running}, []int{3, 2})
	k.near("oldest", lanes[0].Oldest)
}

func turnsEnd(k *kit) {
	l := k.limited(3, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	k.rested(k.among("0")[0], store.StatusComplete)
	k.equal("second", k.turns(l), []string{"1"})
	k.equal("its status", k.record("1").Status, store.StatusActive)
	k.rested(k.among("1")[0], store.StatusAwaitingInput)
	k.equal("third", k.turns(l), []string{"2"})
}

func turnsKept(k *kit) {
	l := k.limited(2, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	o := k.claim(brief)
	o.Among = k.ids("0")
	_, err := k.store.Claim(k.ctx, o)
	k.noError(err)
	k.equal("while it runs", len(k.turns(l)), 0)
	k.pass(k.now().Add(2 * brief))
	k.equal("after its engine has died", k.turns(l), []string{"0"})
	c := k.among("0")[0]
	k.noError(k.store.Release(k.ctx, []store.LeaseRef{{Session: c.Session.ID, Token: c.Session.Lease}}))
	k.equal("after a clean stop", k.turns(l), []string{"0"})
}

func turnsGoOnFirst(k *kit) {
	l := k.limited(2, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	first := k.among("0")[0]
	k.noError(k.freshOf(k.id("old"), ""))
	o := k.claim(long)
	o.Limit = 1
	claimed, err := k.store.ClaimByID(k.ctx, k.ids("old"), o)
	k.noError(err)
	k.rested(claimed[0], store.StatusAwaitingInput)
	k.asked("old", store.RequestAnswer)
	k.equal("full", len(k.turns(l)), 0)
	k.equal("its status", k.record("old").Status, store.StatusPending)
	k.rested(first, store.StatusComplete)
	k.equal("the one that was answered", k.turns(l), []string{"old"})
	k.equal("its status as it was", k.record("old").Status, store.StatusAwaitingInput)
}

func (k *kit) asked(name, kind string) {
	k.Helper()
	out, err := k.store.Deliver(k.ctx, []store.Delivery{{Session: k.id(name), Key: k.token(),
		Decide: func(store.InboxView) (*store.Request, error) { return &store.Request{Kind: kind}, nil }}})
	k.noError(err)
	k.noError(out[0].Err)
}

func turnsKeyed(k *kit) {
	l := k.limited(2, "ada", 1)
	k.limited(2, "bob", 1)
	k.equal("one of each", k.turns(l), []string{"ada0", "bob0"})
	lanes, err := k.store.Lanes(k.ctx, k.id("w"), 10)
	k.noError(err)
	k.equal("lanes", len(lanes), 2)
	k.equal("keys", []string{lanes[0].Key, lanes[1].Key}, []string{"ada", "bob"})
	k.rested(k.among("bob0")[0], store.StatusComplete)
	k.equal("the next of bob", k.turns(l), []string{"ada0", "bob1"})
}

func turnsRate(k *kit) {
	l := k.limited(3, "", 0)
	l.Every = 2500 * time.Millisecond // longer than a slow server takes for the next two calls
	taken := k.taken(l)
	k.equal("first", taken.names, []string{"0"})
	if taken.Next <= 0 || taken.Next > l.Every {
		k.Fatalf("the next starts in %s, want up to %s", taken.Next, l.Every)
	}
	turn, err := k.store.Turn(k.ctx, k.id("1"))
	k.noError(err)
	k.equal("it knows when", turn.NextAt.IsZero(), false)
	k.rested(k.among("0")[0], store.StatusComplete)
	k.equal("before its time", len(k.turns(l)), 0)
	k.pass(k.now().Add(l.Every))
	k.equal("second", k.turns(l), []string{"1"})
	k.pass(k.now().Add(2 * l.Every))
	k.equal("third, what was missed is not made up for", k.turns(l), []string{"1", "2"})
}

func turnsCancelled(k *kit) {
	l := k.limited(3, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	k.asked("2", store.RequestCancel)
	k.equal("it and the cancelled one", k.turns(l), []string{"0", "2"})
	k.rested(k.among("2")[0], store.StatusCancelled)
	k.rested(k.among("0")[0], store.StatusComplete)
	k.equal("next", k.turns(l), []string{"1"})
	k.rested(k.among("1")[0], store.StatusComplete)
	k.equal("turns left", len(k.turns(l)), 0)
}

func turnsRace(k *kit) {
	l := k.limited(12, "", 3)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 {
				if _, err := k.store.TakeTurns(k.ctx, store.TurnQuery{Limits: []store.TurnLimit{l}, Most: 100}); err != nil {
					k.Error(err)
				}
			}
		})
	}
	all.Wait()
	k.equal("turns", len(k.turns(l)), 3)
	lanes, err := k.store.Lanes(k.ctx, k.id("w"), 10)
	k.noError(err)
	k.equal("waiting and running", []int{lanes[0].Waiting, lanes[0].Running}, []int{9, 3})
}

func turnsDropped(k *kit) {
	l := k.limited(3, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	found, err := k.store.LimitedWorkflows(k.ctx)
	k.noError(err)
	k.equal("it is listed while it has a lane", slices.ContainsFunc(found, func(w *graph.Workflow) bool { return w.ID == l.Workflow }), true)
	k.equal("of other workflows", len(k.turns(store.TurnLimit{Workflow: k.id("other"), AtOnce: 1})), 0)
	l.AtOnce = 0
	k.equal("all", k.turns(l), []string{"0", "1", "2"})
}

func turnsLimits(k *kit) {
	settings, node := k.id("settings"), k.id("node")
	_, err := k.store.EditWorkflow(k.ctx, store.Edit{Workflow: settings, Put: &graph.Workflow{Settings: graph.Settings{Limits: graph.Limits{
		MaxSessionsAtOnce: 2, Rate: "10/s", Priority: 1, ConcurrencyKey: "@{SESSION_ID}.customer"}}}})
	k.noError(err)
	_, err = k.store.EditWorkflow(k.ctx, store.Edit{Workflow: node, Put: &graph.Workflow{Extra: map[string]any{"max_sessions_at_once": int64(3), "own": "x"}}})
	k.noError(err)
	found, err := k.store.LimitedWorkflows(k.ctx)
	k.noError(err)
	limits := map[string]graph.Limits{}
	for _, w := range found {
		l, err := w.LimitsInForce()
		k.noError(err)
		limits[w.ID] = l
	}
	k.equal("of the settings", limits[settings], graph.Limits{MaxSessionsAtOnce: 2, Rate: "10/s", Priority: 1, ConcurrencyKey: "@{SESSION_ID}.customer"})
	k.equal("of the node", limits[node], graph.Limits{MaxSessionsAtOnce: 3})
}

func turnsNotWoken(k *kit) {
	l := k.limited(2, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	n, err := k.store.WakePending(k.ctx, l.Workflow, "edited", 10)
	k.noError(err)
	k.equal("woken", n, 0)
	k.equal("it is not due", k.record("1").DueAt.IsZero(), true)
}

func turnsDeleted(k *kit) {
	l := k.limited(3, "", 1)
	k.equal("first", k.turns(l), []string{"0"})
	for done := false; !done; {
		var err error
		done, err = k.store.DeleteSession(k.ctx, k.id("1"))
		k.noError(err)
	}
	k.rested(k.among("0")[0], store.StatusComplete)
	k.equal("the one after it", k.turns(l), []string{"2"})
}

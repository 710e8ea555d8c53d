package docs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// What queries.md says of properties set by hand, each tried.

func (w *world) set(session, what string) {
	w.t.Helper()
	w.cypher("MATCH (s:SESSION {id: $id}) SET "+what, map[string]any{"id": session})
}

// What lists show is computed from the state: setting it lies until the next claim.
func TestStatusByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.set(s.ID, "s.status = 'complete', s.awaiting = null, s.awaiting_since = null, s.awaiting_steps = null, s.pending = 'x'")
	if rows := w.pastes("sessions_of_workflow", map[string]any{"status": "complete"}); len(rows) != 1 {
		t.Errorf("complete are %v; the list should believe what was set", rows)
	}
	w.act(engine.Action{Session: s.ID, Kind: engine.RequestResume})
	row := w.cypher("MATCH (s:SESSION {id: $id}) RETURN s {.status, .awaiting_steps, .pending} AS s", map[string]any{"id": s.ID})[0]["s"].(map[string]any)
	if row["status"] != "awaiting_input" || fmt.Sprint(row["awaiting_steps"]) != "[ask]" || row["pending"] != nil {
		t.Errorf("after resume it says %v", row)
	}
}

func TestDueByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.set(s.ID, "s.due_at = datetime()")
	w.answer(s.ID, "Ada") // as if nothing had been set
	w.ranSteps(s.ID, "root", "ask", "greet", "work")
}

// A lease taken away from a working engine: its call is made a second time.
func TestLeaseByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	w.calls = func(string) {
		entered <- struct{}{}
		<-leave
	}
	if _, err := w.engine.Answer(w.patience(), engine.AnswerRequest{Session: s.ID, Response: []byte(`"Ada"`)}); err != nil {
		t.Fatal(err)
	}
	await(t, entered)
	w.set(s.ID, "s.lease = null, s.lease_until = null, s.lease_owner = null, s.due_at = datetime()")
	await(t, entered)
	close(leave)
	w.wait(s.ID)
	// Two calls, one result: the other, as far as its engine comes to say so, is lost.
	complete := 0
	for _, e := range w.pastes("session_history", map[string]any{"session": s.ID}) {
		switch {
		case e["step"] != "work" || e["status"] == engine.StatusLost:
		case e["status"] == engine.StatusComplete:
			complete++
		default:
			t.Errorf("work ended %v", e["status"])
		}
	}
	if complete != 1 {
		t.Errorf("work is complete %d times", complete)
	}
}

func await(t *testing.T, c chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatal("no call within a minute")
	}
}

// An inbox number that goes back: what comes next is acknowledged and never applied.
func TestInboxByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.act(engine.Action{Session: s.ID, Kind: engine.RequestReask})
	w.set(s.ID, "s.inbox = 0")
	after := w.answer(s.ID, "Ada")
	if after.Status != engine.StatusAwaitingInput {
		t.Errorf("the session is %s", after.Status)
	}
}

// Numbers that only grow: counters that somebody removed are built anew from the history,
// so that new history does not take the names of the old.
func TestCountersByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.set(s.ID, "s.counters = null")
	if after := w.answer(s.ID, "Ada"); after.Status != engine.StatusComplete {
		t.Errorf("the session is %s", after.Status)
	}
	w.ranSteps(s.ID, "root", "ask", "greet", "work")
}

// A SESSION deleted by hand leaves its history behind.
func TestDeleteByHand(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.cypher("MATCH (s:SESSION {id: $id}) DETACH DELETE s", map[string]any{"id": s.ID})
	all := map[string]any{"limit": 1_000_000}
	expect(t, w.row(w.pastes("orphans", all), "session", s.ID), map[string]any{"executions": int64(1), "messages": int64(1)})
	for _, want := range []int64{1, 1, 0} {
		expect(t, w.pastes("remove_orphans", map[string]any{"session": s.ID, "limit": 1})[0], map[string]any{"removed": want})
	}
	kept := w.start("root")
	expect(t, w.pastes("remove_orphans", map[string]any{"session": kept.ID})[0], map[string]any{"removed": int64(0)})
	w.act(engine.Action{Session: kept.ID, Kind: engine.RequestCancel})
	if err := w.engine.DeleteSession(w.patience(), kept.ID, false); err != nil {
		t.Fatal(err)
	}
	if rows := w.pastes("session_history", map[string]any{"session": kept.ID}); len(rows) != 0 {
		t.Errorf("deleted, and there is still %v", rows)
	}
}

// A step deleted while a session waits there: its answer is kept, and move takes it on.
func TestStepGone(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.cypher("MATCH (s:STEP {workflow: $w, id: 'ask'}) DETACH DELETE s", map[string]any{"w": w.workflow})
	after := w.act(engine.Action{Session: s.ID, Kind: engine.RequestMove, Step: "ask", To: "bye"})
	if after.Status != engine.StatusComplete || after.Steps["ask"] != engine.StatusCancelled {
		t.Errorf("the session is %s with %v", after.Status, after.Steps)
	}
}

// Commands in the place of hands: failed steps, versions, labels.
func TestInsteadOfHands(t *testing.T) {
	w := newWorld(t)
	failed := w.start("boom")
	w.cypher("MATCH (s:STEP {workflow: $w, id: 'boom'}) SET s.function = 'say'", map[string]any{"w": w.workflow})
	if after := w.act(engine.Action{Session: failed.ID, Kind: engine.RequestRetry}); after.Status != engine.StatusComplete {
		t.Errorf("after mending the step and retry it is %s", after.Status)
	}
	pending := w.start("lacks")
	w.pastes("edit_prompt", map[string]any{"step": "lacks", "was": "@{SESSION_ID}.nowhere.text", "becomes": "found"})
	if after := w.act(engine.Action{Session: pending.ID, Kind: engine.RequestResume}); after.Status != engine.StatusComplete {
		t.Errorf("after mending the reference and resume it is %s", after.Status)
	}
	waits := w.start("root")
	rec, err := w.store.Session(t.Context(), waits.ID)
	if err != nil {
		t.Fatal(err)
	}
	edited := []byte(strings.Replace(string(rec.State), "What is your name?", "Who are you?", 1))
	if _, err := w.engine.EditState(t.Context(), engine.EditRequest{Session: waits.ID, Version: rec.Version - 1, State: edited, By: "ada"}); !errors.Is(err, engine.ErrVersionMismatch) {
		t.Errorf("an edit of an old version: %v", err)
	}
	if _, err := w.engine.EditState(t.Context(), engine.EditRequest{Session: waits.ID, Version: rec.Version, State: edited, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	w.wait(waits.ID)
	expect(t, w.row(w.pastes("session_requests", map[string]any{"session": waits.ID}), "kind", "state"), map[string]any{"who": "ada"})
	w.set(waits.ID, "s.labels = ['team=blue']")
	n, err := w.store.CountSessions(t.Context(), engine.SessionQuery{Workflow: w.workflow, Labels: map[string]string{"team": "blue"}}, "status")
	if err != nil || n[engine.StatusAwaitingInput] != 1 {
		t.Errorf("labelled sessions: %v, %v", n, err)
	}
}

// A step typed with no more than Neo4j Browser asks for, and a session of `{}`.
func TestMadeByHand(t *testing.T) {
	w := newWorld(t)
	id := w.workflow + "-hand"
	w.cypher(`CREATE (:STEP {workflow: $w, id: 'typed', function: 'say', input: '{"text": "typed"}'}), (:SESSION {id: $id, workflow: $w, state: '{}'})`,
		map[string]any{"w": w.workflow, "id": id})
	w.store.add(id)
	if after := w.act(engine.Action{Session: id, Kind: engine.RequestResume}); after.Status != engine.StatusAwaitingInput {
		t.Errorf("the session is %s", after.Status)
	}
	if s := w.start("typed"); s.Status != engine.StatusComplete {
		t.Errorf("the step ended %s", s.Status)
	}
}

package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
)

// Each edit is made while a session waits for its answer, and that session goes on by it.

func TestEditPrompt(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	row := w.pastes("edit_prompt", map[string]any{"was": "name", "becomes": "first name"})[0]
	expect(t, row, map[string]any{"step": "ask", "old": `{"prompt": "What is your name?"}`, "new": `{"prompt": "What is your first name?"}`})
	if got := w.wait(s.ID).Awaiting[0].Prompt; got != "What is your name?" {
		t.Errorf("the open question became %q; it should stay as it was shown", got)
	}
	if got := w.act(engine.Action{Session: s.ID, Kind: engine.RequestReask}).Awaiting[0].Prompt; got != "What is your first name?" {
		t.Errorf("asked anew: %q", got)
	}
	for why, was := range map[string]string{"absent": "nick name", "twice there": "a", "empty": ""} {
		if rows := w.pastes("edit_prompt", map[string]any{"was": was}); len(rows) != 0 {
			t.Errorf("words that are %s were replaced: %v", why, rows)
		}
	}
}

func TestEditInput(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	row := w.pastes("edit_input", map[string]any{"step": "greet", "input": `{"text": "Welcome, @{SESSION_ID}.ask.response"}`})[0]
	expect(t, row, map[string]any{"old": `{"text": "Hello @{SESSION_ID}.ask.response"}`, "new": `{"text": "Welcome, @{SESSION_ID}.ask.response"}`})
	w.answer(s.ID, "Ada")
	w.ranSteps(s.ID, "root", "ask", "greet", "work")
	if out := w.outputOf(s.ID, "greet"); out != `{"text":"Welcome, Ada"}` {
		t.Errorf("greet put out %s", out)
	}
}

func TestInsertStep(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	values := map[string]any{"from": "ask", "to": "greet", "step": "thanks", "function": "say", "input": `{"text": "Thanks, @{SESSION_ID}.ask.response"}`}
	rows := w.pastes("insert_step", values)
	if len(rows) != 1 {
		t.Fatalf("got %v", rows)
	}
	expect(t, rows[0], map[string]any{"old": "ask -> greet", "new": "ask -> thanks -> greet"})
	if again := w.pastes("insert_step", values); len(again) != 0 {
		t.Errorf("inserted twice: %v", again)
	}
	w.answer(s.ID, "Ada")
	w.ranSteps(s.ID, "root", "ask", "thanks", "greet", "work")
	var kept bool
	for _, p := range w.pastes("show_paths", nil) {
		kept = kept || p["from"] == "ask" && p["to"] == "thanks" && p["label"] == "named" && p["condition"] == "@{SESSION_ID}.ask.response"
	}
	if !kept {
		t.Error("the path to the new step has lost its condition or label")
	}
}

// A step put on a path that closes a loop leaves the loop closed by one path.
func TestInsertStepInLoop(t *testing.T) {
	w := newWorld(t)
	w.cypher("MATCH (a:STEP {workflow: $w, id: 'work'}), (b:STEP {workflow: $w, id: 'ask'}) CREATE (a)-[:NEXT {back: true}]->(b)", map[string]any{"w": w.workflow})
	w.pastes("insert_step", map[string]any{"from": "work", "to": "ask", "step": "breath", "function": "say", "input": `{"text": "And again"}`})
	var back []string
	for _, p := range w.pastes("show_paths", nil) {
		if p["back"] == true {
			back = append(back, p["from"].(string)+">"+p["to"].(string))
		}
	}
	if !slices.Equal(back, []string{"breath>ask"}) {
		t.Errorf("back paths are %v", back)
	}
	s := w.start("root")
	w.answer(s.ID, "Ada")
	w.ranSteps(s.ID, "root", "ask", "greet", "work", "breath")
}

func TestRewirePath(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	rows := w.pastes("rewire_path", map[string]any{"from": "ask", "to": "greet", "becomes": "bye"})
	if len(rows) != 1 {
		t.Fatalf("got %v", rows)
	}
	expect(t, rows[0], map[string]any{"old": "ask -> greet", "new": "ask -> bye"})
	w.answer(s.ID, "Ada")
	w.ranSteps(s.ID, "root", "ask", "bye")
	if rows := w.pastes("rewire_path", map[string]any{"from": "ask", "to": "bye", "becomes": "nobody"}); len(rows) != 0 {
		t.Errorf("rewired to a step that is not there: %v", rows)
	}
	if n := len(w.pastes("show_paths", nil)); n != 4 {
		t.Errorf("%d paths are left of 4", n)
	}
}

func TestChangeCondition(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	values := map[string]any{"from": "ask", "to": "bye", "was": `{"false": "@{SESSION_ID}.ask.response"}`, "becomes": `{"true": "@{SESSION_ID}.ask.response"}`}
	rows := w.pastes("change_condition", values)
	if len(rows) != 1 {
		t.Fatalf("got %v", rows)
	}
	expect(t, rows[0], map[string]any{"path": "ask -> bye", "old": values["was"], "new": values["becomes"]})
	if again := w.pastes("change_condition", values); len(again) != 0 {
		t.Errorf("overwrote a condition that had changed: %v", again)
	}
	w.answer(s.ID, "Ada")
	w.ranSteps(s.ID, "root", "ask", "greet", "bye", "work")
	rows = w.pastes("change_condition", map[string]any{"from": "greet", "to": "work", "was": nil, "becomes": "@{SESSION_ID}.greet.text"})
	if len(rows) != 1 || rows[0]["old"] != nil {
		t.Errorf("a path without condition: %v", rows)
	}
}

func TestAddPath(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.answer(s.ID, "Ada")
	row := w.pastes("add_path", map[string]any{"from": "work", "to": "bye"})[0]
	expect(t, row, map[string]any{"old": int64(0), "new": "work -> bye", "condition": nil})
	w.ranSteps(s.ID, "root", "ask", "greet", "work")
	w.act(engine.Action{Session: s.ID, Kind: engine.RequestAdvance, Step: "work"})
	w.ranSteps(s.ID, "root", "ask", "greet", "work", "bye")
}

func TestEditState(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	rows := w.pastes("edit_state", map[string]any{"session": s.ID, "was": `"ask":{"status":"awaiting_input"`, "becomes": `"bye":{"status":"active","error":""},"ask":{"status":"cancelled"`})
	if len(rows) != 1 || !strings.Contains(rows[0]["new"].(string), `"bye":{"status":"active"`) || strings.Contains(rows[0]["old"].(string), `"bye"`) {
		t.Fatalf("got %v", rows)
	}
	after := w.act(engine.Action{Session: s.ID, Kind: engine.RequestResume})
	if after.Status != engine.StatusComplete || len(after.Awaiting) != 0 || after.Steps["bye"] != engine.StatusComplete {
		t.Errorf("the session is %s with %v, and waits for %v", after.Status, after.Steps, after.Awaiting)
	}
	w.ranSteps(s.ID, "root", "bye")
	if rows := w.pastes("edit_state", map[string]any{"session": s.ID, "was": "status"}); len(rows) != 0 {
		t.Errorf("words that are there several times were replaced: %v", rows)
	}
}

// A session that an engine holds is not edited.
func TestEditStateHeld(t *testing.T) {
	w := newWorld(t)
	s := w.start("root")
	w.cypher("MATCH (s:SESSION {id: $id}) SET s.lease = 'other', s.lease_until = datetime() + duration('PT1M')", map[string]any{"id": s.ID})
	if rows := w.pastes("edit_state", map[string]any{"session": s.ID, "was": `"awaiting_input"`, "becomes": `"active"`}); len(rows) != 0 {
		t.Errorf("edited under a lease: %v", rows)
	}
	w.cypher("MATCH (s:SESSION {id: $id}) SET s.lease = null, s.lease_until = null", map[string]any{"id": s.ID})
}

// ranSteps sees that a session visited these steps and no others, in this order.
func (w *world) ranSteps(session string, want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.pastes("session_history", map[string]any{"session": session}) {
		got = append(got, e["step"].(string))
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		w.t.Errorf("ran %v, want %v", got, want)
	}
}

// outputOf is a step's newest output.
func (w *world) outputOf(session, step string) string {
	w.t.Helper()
	for _, e := range w.pastes("session_history", map[string]any{"session": session}) {
		if e["step"] == step {
			return e["output"].(string)
		}
	}
	return ""
}

// expect compares the columns that are named.
func expect(t *testing.T, row, want map[string]any) {
	t.Helper()
	for name, v := range want {
		if got, ok := row[name]; !ok || got != v {
			t.Errorf("%s is %v, want %v", name, row[name], v)
		}
	}
}

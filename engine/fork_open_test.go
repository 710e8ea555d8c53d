package engine_test

import (
	"fmt"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/memory"
)

// questions are the steps a session asks at, as step/visit/ask.
func questions(s *engine.Session) string {
	text := ""
	for _, q := range s.Awaiting {
		text += fmt.Sprintf("%s/%d/%d ", q.Step, q.Visit, q.Ask)
	}
	return text
}

// runs is how often each of the steps has completed, as the history has it.
func (w *playground) runs(id string, steps ...string) string {
	w.t.Helper()
	list, err := w.e.Executions(w.ctx, id, engine.HistoryQuery{Limit: 500})
	if err != nil {
		w.t.Fatal(err)
	}
	n := map[string]int{}
	for _, x := range list {
		if x.Status == engine.StatusComplete || x.Status == engine.StatusAnswered {
			n[x.Step]++
		}
	}
	text := ""
	for _, step := range steps {
		text += fmt.Sprintf("%s %d ", step, n[step])
	}
	return text
}

func (w *playground) fork(from, step string, id string) *engine.Session {
	w.t.Helper()
	if _, err := w.e.Fork(w.ctx, engine.ForkRequest{Session: from, Step: step, Visit: 1, ID: id}); err != nil {
		w.t.Fatal(err)
	}
	return w.wait(id)
}

// TestForkKeepsWaitingJoin: a join that waited when the visit began waits in a fork and after a
// rollback too, so it runs once its other branch has come.
func TestForkKeepsWaitingJoin(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.put(&engine.Workflow{ID: "w",
		Steps: []engine.Step{{ID: "root"}, {ID: "a"}, {ID: "q", Function: "ask_name"}, {ID: "b"}, {ID: "c"}, {ID: "j", Join: engine.JoinAll}, {ID: "after"}},
		Paths: []engine.Path{next("root", "a"), next("root", "q"), next("q", "b"), next("b", "c"), next("a", "j"),
			{Kind: engine.Next, Source: "c", Target: "j", Condition: `{"false": "@{SESSION_ID}.q.response"}`}, next("j", "after")}})
	w.run()
	for _, cancelled := range []bool{false, true} { // a cancel forgets the joins that wait
		id := fmt.Sprint("s", cancelled)
		w.start("w", id)
		w.answer(id, "q", `"Ada"`)
		s := w.wait(id)
		if s.Steps["j"] != engine.StatusComplete {
			t.Fatalf("the session itself: %v", s.Steps)
		}
		for _, step := range []string{"b", "q"} {
			f := w.fork(id, step, id+"-"+step)
			if step == "q" {
				w.answer(f.ID, "q", `"Bob"`)
				f = w.wait(f.ID)
			}
			if f.Status != engine.StatusComplete || f.Steps["j"] != engine.StatusComplete || w.runs(f.ID, "j", "after") != "j 1 after 1 " {
				t.Errorf("fork at %s: %s, %v, %s", step, f.Status, f.Steps, w.runs(f.ID, "j", "after"))
			}
		}
		w.act(engine.Action{Session: id, Kind: engine.RequestRollback, Step: "b", Visit: 1})
		s = w.wait(id)
		if s.Status != engine.StatusComplete || s.Steps["j"] != engine.StatusComplete || w.runs(id, "b", "j") != "b 2 j 2 " {
			t.Errorf("rolled back: %s, %v, %s", s.Status, s.Steps, w.runs(id, "b", "j"))
		}
	}
}

// openBranches is a workflow with a chain beside an open question, a wait and a join of all.
func openBranches() *engine.Workflow {
	return &engine.Workflow{ID: "w",
		Steps: []engine.Step{{ID: "root"}, {ID: "a", Function: "say", Input: `{"text": "a"}`}, {ID: "b", Function: "say", Input: `{"text": "b"}`},
			{ID: "q", Function: "ask_name"}, {ID: "s", Function: "sleep", Input: `{"signal": "paid"}`}, {ID: "j", Join: engine.JoinAll, Function: "say", Input: `{"text": "all"}`}},
		Paths: []engine.Path{next("root", "q"), next("root", "s"), next("root", "a"), next("a", "b"), next("b", "j"), next("q", "j"), next("s", "j")}}
}

// TestForkKeepsOpenBranches: a question and a signal that were waited for beside the visit are
// waited for in the fork; after a rollback they are still the same ones.
func TestForkKeepsOpenBranches(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.put(openBranches())
	w.run()
	w.start("w", "s")
	f := w.fork("s", "b", "f")
	if f.Status != engine.StatusAwaitingInput || questions(f) != "q/1/1 s/1/1 " {
		t.Fatalf("the fork is %s and asks %q, want q and s", f.Status, questions(f))
	}
	prompts := 0
	for _, m := range f.Messages {
		if m.Step == "q" {
			prompts++
		}
	}
	if prompts != 1 {
		t.Errorf("the fork's chat has the question %d times", prompts)
	}
	w.finishBranches("f", "j 1 b 1 ")
	w.act(engine.Action{Session: "s", Kind: engine.RequestRollback, Step: "b", Visit: 1})
	s := w.wait("s")
	if s.Status != engine.StatusAwaitingInput || questions(s) != "q/1/1 s/1/1 " {
		t.Fatalf("rolled back, the session is %s and asks %q, want the same questions", s.Status, questions(s))
	}
	w.finishBranches("s", "j 1 b 2 ")
	// What a rollback has undone is not a part of a later fork, and what ended since is begun again.
	w.act(engine.Action{Session: "s", Kind: engine.RequestRollback, Step: "b", Visit: 2})
	s = w.wait("s")
	if s.Status != engine.StatusAwaitingInput || questions(s) != "q/2/1 s/2/1 " {
		t.Fatalf("rolled back again, the session is %s and asks %q, want both anew", s.Status, questions(s))
	}
	w.finishBranches("s", "j 2 b 3 ")
}

// finishBranches answers what is open and wants so many runs.
func (w *playground) finishBranches(id, want string) {
	w.t.Helper()
	w.answer(id, "q", `"Ada"`)
	w.act(engine.Action{Session: id, Kind: engine.RequestSignal, Name: "paid"})
	s := w.wait(id)
	if got := w.runs(id, "j", "b"); s.Status != engine.StatusComplete || got != want {
		w.t.Errorf("%s is %s, runs %s, want complete and %s (%v)", id, s.Status, got, want, s.Steps)
	}
}

// TestRollbackDuringPause: a rollback lifts no pause. An answer that came before it was applied,
// so that its question, too, is asked again.
func TestRollbackDuringPause(t *testing.T) {
	w := newPlay(t, memory.New(memory.Options{}), engine.Options{})
	w.put(openBranches())
	w.run()
	w.start("w", "s")
	w.act(engine.Action{Session: "s", Kind: engine.RequestPause})
	w.answer("s", "q", `"Ada"`)
	w.act(engine.Action{Session: "s", Kind: engine.RequestRollback, Step: "b", Visit: 1})
	if s := w.wait("s"); s.Status != engine.StatusPaused {
		t.Fatalf("the session is %s, want paused", s.Status)
	}
	w.act(engine.Action{Session: "s", Kind: engine.RequestResume})
	if s := w.wait("s"); questions(s) != "s/1/1 q/2/1 " {
		t.Fatalf("the session asks %q", questions(s))
	}
	w.finishBranches("s", "j 1 b 2 ")
}

// TestForkBesideALostCall: a call that was recorded as lost after the visit of a fork or a
// rollback had begun is no visit that was under way then: it is not made again.
func TestForkBesideALostCall(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.workflow("w", []engine.Step{{ID: "root"}, {ID: "charge", Function: "linger", Input: `{"ms": 5}`},
			{ID: "q", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "end", Function: "echo", Input: "{}"}}, "root>charge", "charge>q", "q>end")
		r.run()
		r.start("w", "s")
		r.until("s", engine.StatusAwaitingInput)
		if err := r.answer("s", "q", `"Ada"`); err != nil {
			r.Fatal(err)
		}
		r.until("s", engine.StatusComplete)
		r.lost("s", "charge")
		if _, err := r.engine.Fork(r.ctx, engine.ForkRequest{Session: "s", Step: "q", Visit: 1, ID: "f"}); err != nil {
			r.Fatal(err)
		}
		r.until("f", engine.StatusAwaitingInput)
		if err := r.act("s", engine.RequestRollback, func(a *engine.Action) { a.Step = "q" }); err != nil {
			r.Fatal(err)
		}
		r.until("s", engine.StatusAwaitingInput)
		if n, again := r.called("s/charge/1/1"), r.called("f/charge/1/1"); n != 1 || again != 0 {
			r.Errorf("charge was called %d times, and %d times in the fork; want once", n, again)
		}
	})
}

package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/engine/storetest/faults"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// TestApprovalThroughAnotherEngine: the holder of a session is busy with a long call when an
// approval comes through another engine, which cannot poke it, just before each of the holder's
// checkpoints in turn. The approved call begins within seconds and not after the long one.
func TestApprovalThroughAnotherEngine(t *testing.T) {
	for n := 1; n <= 6; n++ {
		t.Run(fmt.Sprintf("checkpoint %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRefusal(t, memory.New(memory.Options{}), engine.Options{})
				r.workflow("w", []engine.Step{{ID: "root", Function: "echo"},
					{ID: "long", Function: "linger", Input: `{"ms": 40000}`},
					{ID: "short", Function: "linger", Input: `{"ms": 50}`}, {ID: "shorter", Function: "linger", Input: `{"ms": 20}`},
					{ID: "gate", Function: "work", Approval: true}},
					"root>long", "root>short", "root>shorter", "root>gate")
				approve := func() bool {
					_, err := r.outside.Answer(r.ctx, engine.AnswerRequest{Session: "S", Step: "gate", Response: []byte(`{"approved": true}`), Key: "yes"})
					return err == nil
				}
				commits, given := 0, false
				r.store.before = func(cp *store.Checkpoint) {
					if commits++; cp.Session == "S" && commits == n {
						given = approve()
					}
				}
				r.run()
				r.start("w", "S")
				time.Sleep(time.Second)
				if !given && !approve() { // the question was not open yet, or there was no such checkpoint
					t.Fatal("the approval was refused")
				}
				for end := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
					s, err := r.outside.Session(r.ctx, "S")
					if err != nil {
						t.Fatal(err)
					}
					if s.Steps["gate"] == engine.StatusComplete {
						break
					}
					if time.Now().After(end) {
						t.Fatalf("the approved step is %s 3 s after the approval", s.Steps["gate"])
					}
				}
			})
		})
	}
}

// TestNothingWaitsForAPoll: with polls an hour apart, children and their parents, answers, signals
// and times that fall due go on by themselves.
func TestNothingWaitsForAPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRefusal(t, memory.New(memory.Options{}), engine.Options{PollEvery: time.Hour, InboxEvery: time.Hour})
		r.mapOf("map", 8, 20)
		r.workflow("ask", []engine.Step{{ID: "root", Function: "ask", Input: `{"prompt": "?"}`}, {ID: "end", Function: "echo"}}, "root>end")
		r.run()
		began := time.Now()
		const sessions = 60
		var all sync.WaitGroup
		for i := range sessions {
			parent, asker := fmt.Sprint("P", i), fmt.Sprint("A", i)
			all.Go(func() {
				r.start("map", parent)
				r.until(parent, engine.StatusComplete)
			})
			all.Go(func() {
				r.start("ask", asker)
				r.until(asker, engine.StatusAwaitingInput)
				if _, err := r.engine.Answer(r.ctx, engine.AnswerRequest{Session: asker, Response: []byte(`"yes"`)}); err != nil {
					t.Error(err)
				}
				r.until(asker, engine.StatusComplete)
			})
		}
		all.Wait()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d sessions took %s: something waited", 2*sessions, took)
		}
	})
}

// TestNoCallInTheLastThirdOfALease: an engine is cut off from its store while calls wait for the
// one slot of their function, for longer than a lease. When the slot is free these sessions
// are another engine's: the call is made there and not here.
func TestNoCallInTheLastThirdOfALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := memory.New(memory.Options{})
		var mu sync.Mutex
		calls := map[string][]string{} // of a session, by the engines that made them
		run := func(name string, opened engine.Store, takes time.Duration) (*engine.Engine, func()) {
			registry := newFakes().registry()
			engine.Register(registry, "one", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
				mu.Lock()
				session := engine.CallOf(ctx).Session
				calls[session] = append(calls[session], name)
				mu.Unlock()
				time.Sleep(takes)
				return map[string]any{"done": true}, nil
			}, func(s *engine.Spec) { s.Effects, s.Limit = true, 1 })
			e := engine.New(opened, registry, engine.Options{Name: name})
			stop := enginetest.Start(t, e)
			synctest.Wait()
			return e, stop
		}
		cut := faults.Wrap(shared, faults.Plan{})
		first, stopFirst := run("first", cut, 40*time.Second)
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "one"}}}
		if _, err := first.PutWorkflow(t.Context(), w, ""); err != nil {
			t.Fatal(err)
		}
		const sessions = 5
		for i := range sessions {
			if _, err := first.Start(t.Context(), engine.StartRequest{ID: fmt.Sprint("S", i), Workflow: "w"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		cut.Die()
		second, stopSecond := run("second", shared, 100*time.Millisecond)
		time.Sleep(5 * time.Minute)
		for i := range sessions {
			id := fmt.Sprint("S", i)
			s, err := second.Session(t.Context(), id)
			if err != nil || s.Status != engine.StatusComplete {
				t.Errorf("session %s is %v, %v", id, s, err)
			}
			want := "[second]"
			if i == 0 {
				want = "[first second]" // under way when the connection was cut
			}
			if got := fmt.Sprint(calls[id]); got != want {
				t.Errorf("the call of %s was made by %s, want %s", id, got, want)
			}
		}
		stopFirst()
		stopSecond()
	})
}

package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
)

// mapOf is a workflow whose root runs its body, a call that takes ms to 2 ms, in n children.
func (r *refusal) mapOf(id string, n, ms int) {
	r.Helper()
	r.workflow(id, []engine.Step{
		{ID: "root", Function: "children", Input: fmt.Sprintf(`{"items": [%s]}`, strings.TrimSuffix(strings.Repeat("1,", n), ","))},
		{ID: "w", Function: "linger", Input: fmt.Sprintf(`{"ms": %d}`, ms)},
		{ID: "e", Function: "echo", Input: `{"done": "@{SESSION_ID}.w.done"}`},
		{ID: "after", Function: "echo", Input: `{"told": "@{SESSION_ID}.root.told"}`}},
		"root:w", "root:e", "w>e", "root>after")
}

// TestParentIsNotified: a request that reaches a child just before its last checkpoint has
// that checkpoint refused; the parent is notified by the one that follows.
func TestParentIsNotified(t *testing.T) {
	for _, kinds := range [][]string{{engine.RequestSignal}, {engine.RequestResume}, {engine.RequestPause, engine.RequestResume}} {
		t.Run(strings.Join(kinds, " "), func(t *testing.T) {
			refusals(t, engine.Options{}, func(r *refusal) {
				r.mapOf("w", 3, 20)
				r.store.before = func(cp *store.Checkpoint) {
					if cp.ToParent == nil || !r.first(cp.Session) {
						return
					}
					for _, kind := range kinds {
						if err := r.act(cp.Session, kind, func(a *engine.Action) { a.Name = "hello" }); err != nil {
							r.Error(err)
						}
					}
				}
				r.run()
				r.start("w", "P")
				r.until("P", engine.StatusComplete)
				if n := r.store.refused.Load(); n == 0 {
					r.Error("no checkpoint was refused")
				}
				if told := r.outcomes("P", store.RequestChild); len(told) != 3 {
					r.Errorf("the parent was told of %d ends: %v", len(told), told)
				}
			})
		})
	}
}

// TestParentsPausedAndResumed: parents of maps are paused and resumed, and children are sent
// signals, while the children end. None is left behind, and no child stays paused.
func TestParentsPausedAndResumed(t *testing.T) {
	parents, children := 40, 8
	for _, way := range []string{"pause once", "pause often", "signals"} {
		t.Run(way, func(t *testing.T) {
			refusals(t, engine.Options{}, func(r *refusal) {
				r.mapOf("w", children, 50)
				r.run()
				var all sync.WaitGroup
				var sent atomic.Int64
				for i := range parents {
					id := fmt.Sprintf("P%d", i)
					all.Go(func() {
						if _, err := r.engine.Start(r.ctx, engine.StartRequest{Workflow: "w", ID: id}); err != nil {
							r.Error(err)
						}
						r.disturb(way, id, children, &sent)
					})
				}
				all.Wait()
				stuck, paused := 0, 0
				for i := range parents {
					id := fmt.Sprintf("P%d", i)
					if s := r.until(id, engine.StatusComplete); s.Status != engine.StatusComplete {
						stuck++
					}
					for n := range children {
						if s, err := r.outside.Session(r.ctx, fmt.Sprintf("%s/root/1/%d", id, n)); err != nil || s.Status != engine.StatusComplete {
							paused++
						}
					}
				}
				r.Logf("%d requests, %d checkpoints refused, %d of %d parents stuck, %d of %d children not complete", sent.Load(),
					r.store.refused.Load(), stuck, parents, paused, parents*children)
				if stuck > 0 || paused > 0 {
					r.Error("sessions were left behind")
				}
			})
		})
	}
}

// disturb sends a parent, or its children, requests while the children end.
func (r *refusal) disturb(way, parent string, children int, sent *atomic.Int64) {
	act := func(session, kind string) {
		if err := r.act(session, kind, func(a *engine.Action) { a.Name = "hello" }); err == nil {
			sent.Add(1)
		}
	}
	if way == "signals" {
		for i := range 24 {
			time.Sleep(5 * time.Millisecond)
			act(fmt.Sprintf("%s/root/1/%d", parent, i%children), engine.RequestSignal)
		}
		return
	}
	rounds := map[string]int{"pause once": 1, "pause often": 6}[way]
	for range rounds {
		time.Sleep(60 * time.Millisecond / time.Duration(rounds))
		act(parent, engine.RequestPause)
		time.Sleep(30 * time.Millisecond / time.Duration(rounds))
		act(parent, engine.RequestResume)
	}
}

// TestPauseReachesNewChildren: a pause that is taken together with the checkpoint that creates
// children reaches them.
func TestPauseReachesNewChildren(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.mapOf("w", 3, 400)
		r.store.before = func(cp *store.Checkpoint) {
			if len(cp.Children) > 0 && r.first("created") {
				if err := r.act("P", engine.RequestPause); err != nil {
					r.Error(err)
				}
			}
		}
		r.run()
		r.start("w", "P")
		for i := range 3 {
			r.until(fmt.Sprintf("P/root/1/%d", i), engine.StatusPaused)
		}
		if err := r.act("P", engine.RequestResume); err != nil {
			r.Fatal(err)
		}
		r.until("P", engine.StatusComplete)
	})
}

// countedDeliveries counts the calls that deliver requests.
type countedDeliveries struct {
	engine.Store
	calls, rows atomic.Int64
}

func (s *countedDeliveries) Deliver(ctx context.Context, list []store.Delivery) ([]store.Delivered, error) {
	s.calls.Add(1)
	s.rows.Add(int64(len(list)))
	return s.Store.Deliver(ctx, list)
}

// TestChildrenAreNotifiedInGroups: a pause of a session with hundreds of children does not take
// as many transactions.
func TestChildrenAreNotifiedInGroups(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		counted := &countedDeliveries{Store: r.store.Store}
		r.store.Store = counted
		const children = 250
		r.workflow("w", []engine.Step{
			{ID: "root", Function: "children", Input: fmt.Sprintf(`{"at_once": %d, "items": [%s]}`, children, strings.TrimSuffix(strings.Repeat("1,", children), ","))},
			{ID: "w", Function: "ask", Input: `{"prompt": "?"}`}}, "root:w")
		r.run()
		r.start("w", "P")
		r.until(fmt.Sprintf("P/root/1/%d", children-1), engine.StatusAwaitingInput)
		calls, rows := counted.calls.Load(), counted.rows.Load()
		if err := r.act("P", engine.RequestCancel); err != nil {
			r.Fatal(err)
		}
		for i := range children {
			r.until(fmt.Sprintf("P/root/1/%d", i), engine.StatusCancelled)
		}
		calls, rows = counted.calls.Load()-calls, counted.rows.Load()-rows
		if rows < children || rows > 2*children || calls > children/20 {
			r.Errorf("%d requests were delivered in %d calls", rows, calls)
		}
	})
}

// TestNoticesAreSentOnce: that child sessions were notified has happened, whatever becomes of the
// checkpoint that says so: refused, it is not decided anew.
func TestNoticesAreSentOnce(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		inner := r.store.Store
		counted := &countedDeliveries{Store: inner}
		r.store.Store = counted
		const children = 3
		r.workflow("w", []engine.Step{
			{ID: "root", Function: "children", Input: `{"at_once": 3, "items": [1, 2, 3]}`},
			{ID: "w", Function: "ask", Input: `{"prompt": "?"}`}}, "root:w")
		var notified, late atomic.Int64
		late.Store(1 << 30)
		r.store.before = func(cp *store.Checkpoint) {
			if cp.Session != "P" || counted.rows.Load() < late.Load() || notified.Add(1) > 1 {
				return
			}
			if _, err := inner.Deliver(r.ctx, []store.Delivery{{Session: "P", Key: "late", Decide: func(store.InboxView) (*engine.Request, error) {
				return &engine.Request{Kind: engine.RequestResume, Body: []byte(`{}`)}, nil
			}}}); err != nil {
				r.Error(err)
			}
		}
		r.run()
		r.start("w", "P")
		for i := range children {
			r.until(fmt.Sprintf("P/root/1/%d", i), engine.StatusAwaitingInput)
		}
		late.Store(counted.rows.Load() + children)
		if err := r.act("P", engine.RequestCancel); err != nil {
			r.Fatal(err)
		}
		for i := range children {
			r.until(fmt.Sprintf("P/root/1/%d", i), engine.StatusCancelled)
		}
		r.until("P", engine.StatusCancelled)
		if rows := counted.rows.Load() - late.Load() + children; rows != children || notified.Load() == 0 || r.store.refused.Load() == 0 {
			r.Errorf("%d requests to %d children, %d checkpoints refused", rows, children, r.store.refused.Load())
		}
	})
}

// TestLostCallOfAnEndedChild: word of a call that a frozen worker made without the session is
// no second end of the child: its parent has been notified of the one there is.
func TestLostCallOfAnEndedChild(t *testing.T) {
	refusals(t, engine.Options{}, func(r *refusal) {
		r.mapOf("w", 2, 20)
		r.run()
		r.start("w", "P")
		r.until("P", engine.StatusComplete)
		r.lost("P/root/1/0", "w")
		if told := r.outcomes("P", store.RequestChild); len(told) != 2 {
			r.Errorf("the parent was notified of %d ends of 2 children: %v", len(told), told)
		}
	})
}

// lost records that a call of a step was made by a worker that had lost the session, as an
// attempt that the history does not know.
func (r *refusal) lost(session, step string) {
	r.Helper()
	delivered, err := r.store.Deliver(r.ctx, []store.Delivery{{Session: session, Key: "lost", Decide: func(store.InboxView) (*engine.Request, error) {
		return &engine.Request{Kind: store.RequestLost, Step: step, Visit: 1, Body: []byte(fmt.Sprintf(`{"step": %q, "visit": 1, "attempt": 7}`, step))}, nil
	}}})
	if err != nil || delivered[0].Err != nil {
		r.Fatal(err, delivered)
	}
	for range 1000 {
		if all := r.outcomes(session, store.RequestLost); len(all) == 1 && all[0] == "recorded" {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.Fatalf("the lost call is not recorded: %v", r.outcomes(session, store.RequestLost))
}

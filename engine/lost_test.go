package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/tidwall/gjson"
)

// lossWorkflow makes calls in every way there is: side by side, more than may run at once; again
// after a pause; in the rounds of a container; as the rounds and the tools of an agent; in
// child sessions.
func lossWorkflow() *engine.Workflow {
	w := &engine.Workflow{ID: "W", Steps: []engine.Step{
		{ID: "root", Function: "say", Input: `{"text": "hi"}`},
		{ID: "busy", Function: "busy", Retry: `{"max_attempts": 3, "initial_interval": "2s"}`},
		{ID: "loop", Function: "rounds", Input: `{"count": 3}`}, {ID: "inner", Function: "mail"},
		{ID: "bot", Function: "scripted_agent", Input: `{"rounds": [{"calls": [{"id": "1", "tool": "one"}, {"id": "2", "tool": "two"}]}, {"calls": [{"id": "1", "tool": "one"}]}]}`},
		{ID: "one", Function: "mail"}, {ID: "two", Function: "mail"},
		{ID: "map", Function: "children", Input: `{"items": ["a", "b"], "at_once": 2}`}, {ID: "item", Function: "mail"},
		{ID: "end", Function: "say", Join: engine.JoinAll, Input: `{"text": "bye"}`},
	}}
	next := func(kind engine.PathKind, source string, targets ...string) {
		for _, t := range targets {
			w.Paths = append(w.Paths, engine.Path{Kind: kind, Source: source, Target: t})
		}
	}
	for i := range 6 {
		id := fmt.Sprint("mail", i)
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "mail"})
		next(engine.Next, "root", id)
		next(engine.Next, id, "end")
	}
	next(engine.Next, "root", "busy", "loop", "bot", "map")
	next(engine.Contains, "loop", "inner")
	next(engine.Tool, "bot", "one", "two")
	next(engine.Contains, "map", "item")
	for _, id := range []string{"busy", "loop", "bot", "map"} {
		next(engine.Next, id, "end")
	}
	return w
}

// playLosses plays lossWorkflow under the strikes to its end.
func playLosses(t *testing.T, strikes map[int]blow) *ordeal {
	ctx := t.Context()
	o := &ordeal{t: t, ctx: ctx, store: memory.New(memory.Options{}), fakes: newFakes(), strikes: strikes, options: engine.Options{SessionLimits: engine.SessionLimits{StepsAtOnce: 4}}}
	if _, err := engine.New(o.store, o.registry(), engine.Options{}).Put(ctx, lossWorkflow(), engine.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	o.begin()
	defer func() { o.stop() }()
	err := o.ask(func(ctx context.Context, e *engine.Engine) error {
		_, err := e.Start(ctx, engine.StartRequest{Workflow: "W", ID: "A", Key: "start"})
		return err
	})
	if err == nil {
		err = o.ask(rest)
	}
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := o.store.Session(ctx, "A"); err != nil || rec.Status != engine.StatusComplete {
		t.Fatalf("the session is %+v, %v", rec, err)
	}
	return o
}

// An account is what became of the calls of one key.
type account struct{ made, results, lost int }

// accounts reads, for every key, what the history says and how often the call was made.
func (o *ordeal) accounts() map[string]*account {
	all := map[string]*account{}
	of := func(key string) *account {
		if all[key] == nil {
			all[key] = &account{}
		}
		return all[key]
	}
	for key, n := range o.fakes.called {
		of(key).made = n
	}
	sessions, err := o.store.ListSessions(o.ctx, engine.SessionQuery{Limit: 100})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, s := range sessions {
		list, err := o.store.Executions(o.ctx, s.ID, engine.HistoryQuery{Limit: 500})
		if err != nil {
			o.t.Fatal(err)
		}
		rounds := 0
		for _, x := range list {
			switch number := 1; {
			case x.Status == engine.StatusLost:
				of(gjson.GetBytes(x.Error, "key").String()).lost++
			case !slices.Contains([]string{"mail", "busy", "scripted_agent"}, x.Function):
			default:
				if x.Function == "scripted_agent" {
					rounds++
					number = rounds
				}
				of(fmt.Sprintf("%s/%s/%d/%d", s.ID, x.Step, x.Visit, number)).results++
			}
		}
	}
	return all
}

// TestEveryLostCallIsShown ends the engine before and after each of its calls to the store.
// Each call made has a result or is called lost by the history. A call that the dead engine had
// written that it would make, and had not begun, is called lost too; of these there are few.
func TestEveryLostCallIsShown(t *testing.T) {
	calls := 0
	synctest.Test(t, func(t *testing.T) {
		o := playLosses(t, nil)
		calls = len(o.made)
		for key, a := range o.accounts() {
			if *a != (account{a.made, a.made, 0}) || a.made == 0 {
				t.Errorf("undisturbed: %s: %+v", key, *a)
			}
		}
	})
	doubled, shown := 0, 0
	for n := 1; n <= calls; n++ {
		for _, b := range []blow{diesBefore, diesAfter} {
			synctest.Test(t, func(t *testing.T) {
				o := playLosses(t, map[int]blow{n: b})
				for _, key := range slices.Sorted(maps.Keys(o.accounts())) {
					a := o.accounts()[key]
					if a.made-a.results > a.lost || a.lost > 1 {
						t.Errorf("%s\n%s: called %d times, %d results, %d lost", strings.Join(o.log, "\n"), key, a.made, a.results, a.lost)
					}
					doubled += a.made - a.results
					shown += a.lost
				}
			})
		}
	}
	t.Logf("%d deaths: %d calls made again, %d executions say so", 2*calls, doubled, shown)
	if doubled == 0 || shown-doubled > doubled/4 {
		t.Errorf("%d calls are called lost, %d were", shown, doubled)
	}
}

// TestStoppedQueueLosesNothing: calls that wait for a slot when their engine is stopped were not
// made. The next engine makes them, and the history does not call them lost.
func TestStoppedQueueLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, begun := memory.New(memory.Options{}), map[string]int{}
		w := &engine.Workflow{ID: "W", Steps: []engine.Step{{ID: "root", Function: "pass"}}}
		for i := range 5 {
			id := fmt.Sprint("call", i)
			w.Steps = append(w.Steps, engine.Step{ID: id, Function: "slow"})
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: "root", Target: id})
		}
		play := func(stopAfter time.Duration) {
			r := engine.NewRegistry()
			engine.Register(r, "pass", func(_ context.Context, in json.RawMessage) (json.RawMessage, error) { return in, nil })
			engine.Register(r, "slow", func(ctx context.Context, in json.RawMessage) (json.RawMessage, error) {
				begun[engine.CallOf(ctx).Key]++
				time.Sleep(time.Second)
				return in, nil
			}, func(s *engine.Spec) { s.Effects, s.Limit = true, 1 })
			e := engine.New(store, r, engine.Options{})
			ctx := t.Context()
			stopEngine := enginetest.Start(t, e)
			if stopAfter > 0 {
				if _, err := e.Put(ctx, w, engine.PutOptions{}); err != nil {
					t.Error(err)
				}
				if _, err := e.Start(ctx, engine.StartRequest{Workflow: "W", ID: "A"}); err != nil {
					t.Error(err)
				}
				time.Sleep(stopAfter)
			} else if _, err := e.Wait(ctx, "A"); err != nil {
				t.Error(err)
			}
			stopEngine()
		}
		play(1500 * time.Millisecond)
		play(0)
		list, err := store.Executions(t.Context(), "A", engine.HistoryQuery{Limit: 100})
		if err != nil || len(list) != 6 {
			t.Errorf("%d executions, want 6: %v", len(list), err)
		}
		for _, x := range list {
			if x.Status != engine.StatusComplete {
				t.Errorf("%s is %s: %s", x.Step, x.Status, x.Error)
			}
		}
		for key, n := range begun {
			if n != 1 {
				t.Errorf("%s was made %d times", key, n)
			}
		}
	})
}

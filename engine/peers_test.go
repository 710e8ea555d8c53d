package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// A fleet is engines with different functions on one store, under a fake clock.
type fleet struct {
	*testing.T
	store engine.Store
	mu    sync.Mutex
	calls map[string]int // of each function, by the engine that was called
}

// start runs an engine that has `say` and these functions until stop is called.
func (f *fleet) start(name string, functions ...string) (e *engine.Engine, stop func()) {
	f.Helper()
	registry := newFakes().registry()
	for _, function := range functions {
		engine.Register(registry, function, func(context.Context, map[string]any) (map[string]any, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.calls[name+" "+function]++
			return map[string]any{"done": true}, nil
		})
	}
	e = engine.New(f.store, registry, engine.Options{Name: name})
	stop = enginetest.Start(f, e)
	synctest.Wait()
	return e, stop
}

// session starts a session of root -> step, which calls the function.
func (f *fleet) session(e *engine.Engine, id, function string) {
	f.Helper()
	w := &engine.Workflow{ID: function, Steps: []engine.Step{{ID: "root", Function: "say", Input: `{"text": "hi"}`}, {ID: "step", Function: function}},
		Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "step"}}}
	if _, err := e.Put(f.Context(), w, engine.PutOptions{Force: true}); err != nil {
		f.Fatal(err)
	}
	if _, err := e.Start(f.Context(), engine.StartRequest{ID: id, Workflow: function}); err != nil {
		f.Fatal(err)
	}
}

func (f *fleet) view(e *engine.Engine, id string) *engine.Session {
	f.Helper()
	s, err := e.Session(f.Context(), id)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

func fleets(t *testing.T, test func(f *fleet)) {
	synctest.Test(t, func(t *testing.T) {
		test(&fleet{T: t, store: memory.New(memory.Options{}), calls: map[string]int{}})
	})
}

// While a new version is rolled out, both engines take sessions; the steps that only the
// new one can run wait for it.
func TestFunctionOfAnotherEngine(t *testing.T) {
	fleets(t, func(f *fleet) {
		old, stopOld := f.start("old")
		_, stopFresh := f.start("fresh", "ship")
		for i := range 20 {
			f.session(old, fmt.Sprint("s", i), "ship")
		}
		time.Sleep(3 * time.Second)
		for i := range 20 {
			if s := f.view(old, fmt.Sprint("s", i)); s.Status != engine.StatusComplete {
				f.Errorf("session %s is %s: %+v", s.ID, s.Status, s.Problems)
			}
		}
		if f.calls["fresh ship"] != 20 || len(f.calls) != 1 {
			f.Errorf("calls %v, want 20 by fresh", f.calls)
		}
		stopOld()
		stopFresh()
	})
}

// An engine that was there within the last minute may be back: until then the session waits,
// and says for what.
func TestFunctionOfNoLivingEngine(t *testing.T) {
	fleets(t, func(f *fleet) {
		old, stopOld := f.start("old")
		_, stopFresh := f.start("fresh", "ship")
		stopFresh()
		f.session(old, "back", "ship")
		time.Sleep(20 * time.Second)
		s := f.view(old, "back")
		if want := "engine old does not have function ship"; s.Status != engine.StatusActive || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, want) {
			f.Errorf("session is %s with problems %+v, want active and %q", s.Status, s.Problems, want)
		}
		why, err := old.Explain(f.Context(), "back")
		if err != nil {
			f.Fatal(err)
		}
		told := false
		for _, b := range why.Because {
			told = told || b.Step == "step" && b.Kind == function.KindNoFunction
		}
		if !told {
			f.Errorf("why says %+v, want the function that is lacking", why.Because)
		}
		if found := findings(f.T, old, function.KindNoFunction); !strings.Contains(strings.Join(found, "; "), "session back") {
			f.Errorf("doctor says %q, want the session", found)
		}
		f.session(old, "never", "shp")
		time.Sleep(time.Second)
		if s := f.view(old, "never"); s.Status != engine.StatusError || s.Error == nil || s.Error.Kind != function.KindNoFunction {
			f.Errorf("a function that no engine ever had: session is %s, error %+v", s.Status, s.Error)
		}
		_, stopFresh = f.start("fresh", "ship")
		time.Sleep(2 * time.Second)
		if s := f.view(old, "back"); s.Status != engine.StatusComplete || len(s.Problems) > 0 {
			f.Errorf("with an engine that has the function the session is %s: %+v", s.Status, s.Problems)
		}
		if found := findings(f.T, old, "functions"); len(found) != 1 || !strings.Contains(found[0], "engine old lacks") || !strings.Contains(found[0], "ship") {
			f.Errorf("doctor says %q, want what old lacks", found)
		}
		stopFresh()

		f.session(old, "gone", "ship")
		time.Sleep(50 * time.Second)
		if s := f.view(old, "gone"); s.Status != engine.StatusActive {
			f.Errorf("before the minute is over the session is %s", s.Status)
		}
		time.Sleep(20 * time.Second)
		if s := f.view(old, "gone"); s.Status != engine.StatusError || s.Error == nil || s.Error.Kind != function.KindNoFunction {
			f.Errorf("after the minute the session is %s, error %+v", s.Status, s.Error)
		}
		stopOld()
	})
}

// findings are the messages of doctor with a code.
func findings(t *testing.T, e *engine.Engine, code string) []string {
	t.Helper()
	list, err := e.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, x := range list {
		if x.Code == code {
			found = append(found, x.Message)
		}
	}
	return found
}

// Engines that come up do not write pending sessions that were tried with the definition of
// now; an edit wakes each of them once.
func TestStartWakesNoPendingInVain(t *testing.T) {
	fleets(t, func(f *fleet) {
		e, stop := f.start("first")
		w := &engine.Workflow{ID: "w", Steps: []engine.Step{{ID: "root", Function: "say", Input: `{"text": "@{SESSION_ID}.name.first"}`}}}
		put := func() {
			if _, err := e.Put(f.Context(), w, engine.PutOptions{Force: true}); err != nil {
				f.Fatal(err)
			}
		}
		put()
		versions := func() (sum int64) {
			for i := range 50 {
				s := f.view(e, fmt.Sprint("s", i))
				if s.Status != engine.StatusPending {
					f.Fatalf("session %s is %s", s.ID, s.Status)
				}
				sum += s.Version
			}
			return sum
		}
		for i := range 50 {
			if _, err := e.Start(f.Context(), engine.StartRequest{ID: fmt.Sprint("s", i), Workflow: "w"}); err != nil {
				f.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		before := versions()
		for range 3 {
			stop()
			e, stop = f.start("next")
			time.Sleep(5 * time.Second)
		}
		if after := versions(); after != before {
			f.Errorf("three starts wrote %d checkpoints of pending sessions", after-before)
		}
		w.Steps[0].Description = "edited"
		put()
		time.Sleep(5 * time.Second)
		if after := versions(); after != before+50 {
			f.Errorf("an edit wrote %d checkpoints of 50 pending sessions", after-before)
		}
		stop()
	})
}

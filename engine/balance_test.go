package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/memory"
)

// A shift is engines on one store whose function `ship` takes five seconds.
type shift struct {
	*fleet
	stops []func()
}

// slow starts an engine with some slots for `ship`, and with other options as given.
func (s *shift) slow(name string, slots int, o engine.Options, also ...string) *engine.Engine {
	s.Helper()
	registry := newFakes().registry()
	for _, called := range append(also, "ship") {
		registry.Add(engine.Spec{Name: called, Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			s.mu.Lock()
			s.calls[name]++
			s.calls[engine.CallOf(ctx).Key]++
			s.mu.Unlock()
			time.Sleep(5 * time.Second)
			return json.RawMessage(`{}`), nil
		})})
	}
	o.Name, o.CallsOf = name, map[string]int{"ship": slots}
	e := engine.New(s.store, registry, o)
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	synctest.Wait()
	s.stops = append(s.stops, func() {
		cancel()
		if err := <-done; err != nil {
			s.Error(err)
		}
	})
	return e
}

func (s *shift) stop() {
	for _, stop := range s.stops {
		stop()
	}
}

// finish waits until all sessions are complete, and returns how long that took.
func (s *shift) finish(e *engine.Engine, n int) time.Duration {
	s.Helper()
	began := time.Now()
	for {
		count, err := e.CountSessions(s.Context(), engine.SessionQuery{}, "status")
		if err != nil {
			s.Fatal(err)
		}
		if count[engine.StatusComplete] == int64(n) {
			return time.Since(began)
		}
		if time.Since(began) > 10*time.Minute {
			s.Fatalf("%v sessions of %d are complete", count, n)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func shifts(t *testing.T, test func(s *shift)) {
	synctest.Test(t, func(t *testing.T) {
		s := &shift{fleet: &fleet{T: t, store: memory.New(memory.Options{}), calls: map[string]int{}}}
		test(s)
		s.stop()
	})
}

// once checks that no call was made twice.
func (s *shift) once() {
	s.Helper()
	for key, n := range s.calls {
		if n > 1 && key != "a" && key != "b" && key != "c" {
			s.Errorf("call %s was made %d times", key, n)
		}
	}
}

// Sessions that wait for a slot go to the engine that has slots free, wherever they were started.
func TestWaitingSessionsGoWhereSlotsAre(t *testing.T) {
	shifts(t, func(s *shift) {
		a := s.slow("a", 4, engine.Options{})
		s.slow("b", 4, engine.Options{})
		for i := range 60 {
			s.session(a, fmt.Sprint("s", i), "ship")
		}
		took := s.finish(a, 60) // one engine alone takes 75 s
		if took > 50*time.Second || s.calls["b"] < 24 {
			t.Errorf("60 calls took %s, engine b made %d of them", took, s.calls["b"])
		}
		s.once()
		for i := range 60 {
			list, err := a.Executions(t.Context(), fmt.Sprint("s", i), engine.HistoryQuery{})
			if err != nil || len(list) != 2 {
				t.Errorf("session s%d has %d executions (%v), want 2", i, len(list), err)
			}
		}
	})
}

// An engine gives nothing away that the others cannot run or have no slots for.
func TestWaitingSessionsStay(t *testing.T) {
	for name, other := range map[string]func(s *shift){
		"the other engine lacks the function": func(s *shift) { s.start("b") },
		"the other engine is as busy": func(s *shift) {
			b := s.slow("b", 2, engine.Options{})
			for i := range 30 {
				s.session(b, fmt.Sprint("b", i), "ship")
			}
		},
		"the other engine has stopped": func(s *shift) {
			_, stop := s.start("b", "ship")
			stop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			shifts(t, func(s *shift) {
				a := s.slow("a", 2, engine.Options{})
				for i := range 30 {
					s.session(a, fmt.Sprint("s", i), "ship")
				}
				other(s)
				versions := func() (sum int64) {
					for i := range 30 {
						sum += s.view(a, fmt.Sprint("s", i)).Version
					}
					return sum
				}
				time.Sleep(time.Second)
				before := versions()
				time.Sleep(3500 * time.Millisecond) // no call has ended yet
				if after := versions(); after != before {
					t.Errorf("%d checkpoints of sessions that only wait", after-before)
				}
			})
		})
	}
}

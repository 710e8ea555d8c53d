package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
)

// An answerStore counts what an answer is written with, and calls a hook around the write of an answer
// with its checkpoint.
type answerStore struct {
	engine.Store
	own        atomic.Int64 // checkpoints of a holder
	arrivals   atomic.Int64 // checkpoints with their request
	deliveries atomic.Int64
	reads      atomic.Int64 // of definitions
	before     func()
	after      func([]store.CommitResult) ([]store.CommitResult, error)
}

func (s *answerStore) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	s.reads.Add(1)
	time.Sleep(time.Millisecond) // of the fake clock: a read that begins later is another one
	return s.Store.Workflows(ctx, ids, entries)
}

func (s *answerStore) SessionsByID(ctx context.Context, ids []string) ([]store.SessionRecord, error) {
	time.Sleep(time.Millisecond / 2)
	return s.Store.SessionsByID(ctx, ids)
}

func (s *answerStore) Deliver(ctx context.Context, list []store.Delivery) ([]store.Delivered, error) {
	s.deliveries.Add(int64(len(list)))
	return s.Store.Deliver(ctx, list)
}

func (s *answerStore) Commit(ctx context.Context, list []store.Checkpoint) ([]store.CommitResult, error) {
	if list[0].Received == nil {
		s.own.Add(int64(len(list)))
		return s.Store.Commit(ctx, list)
	}
	s.arrivals.Add(int64(len(list)))
	if f := s.before; f != nil {
		s.before = nil
		f()
	}
	results, err := s.Store.Commit(ctx, list)
	if f := s.after; f != nil && err == nil {
		s.after = nil
		results, err = f(results)
	}
	if ctx.Err() != nil { // as a database that is reached over a network
		return nil, context.Cause(ctx)
	}
	return results, err
}

// An atRestTest is a session that waits for a name at step root, and engines: one that runs, and one
// that only takes requests.
type atRestTest struct {
	*testing.T
	ctx             context.Context
	store           *answerStore
	engine, outside *engine.Engine
	mails           atomic.Int64
	pure            func(context.Context) // called by the function pure
}

func answersAtRest(t *testing.T, w *engine.Workflow, test func(a *atRestTest)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := &atRestTest{T: t, ctx: t.Context(), store: &answerStore{Store: memory.New(memory.Options{})}}
		registry := engine.NewRegistry()
		engine.Register(registry, "ask_name", askName)
		engine.Register(registry, "ask_soon", func(context.Context, struct{}) (struct{}, error) {
			return struct{}{}, &engine.AwaitInput{Prompt: "What is your name?", Due: time.Hour}
		})
		registry.Add(engine.Spec{Name: "mail", Effects: true, Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
			a.mails.Add(1)
			return json.RawMessage(`{"sent":true}`), nil
		})})
		registry.Add(engine.Spec{Name: "pure", Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			if a.pure != nil {
				a.pure(ctx)
			}
			return json.RawMessage(`{"done":true}`), nil
		})})
		engine.Register(registry, "sessions", runSessions)
		o := engine.Options{SessionLimits: engine.SessionLimits{MaxChildren: 1}, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		a.engine, a.outside = engine.New(a.store, registry, o), engine.New(a.store.Store, registry, o)
		a.put(w)
		ctx, cancel := context.WithCancel(a.ctx)
		done := make(chan error, 1)
		go func() { done <- a.engine.Run(ctx) }()
		synctest.Wait()
		if _, err := a.engine.StartAndWait(a.ctx, engine.StartRequest{Workflow: "W", ID: "A"}); err != nil {
			t.Fatal(err)
		}
		a.reset()
		test(a)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second) // a read of the definition for an answer that was refused may be under way
	})
}

func (a *atRestTest) reset() {
	a.store.own.Store(0)
	a.store.arrivals.Store(0)
	a.store.deliveries.Store(0)
	a.store.reads.Store(0)
}

func (a *atRestTest) put(w *engine.Workflow) {
	a.Helper()
	w.ID = "W"
	if _, err := a.outside.Put(a.ctx, w, engine.PutOptions{}); err != nil {
		a.Fatal(err)
	}
}

func (a *atRestTest) answer(name, key string) (*engine.Session, error) {
	return a.engine.Answer(a.ctx, engine.AnswerRequest{Session: "A", Step: "root", Response: json.RawMessage(`"` + name + `"`), Key: key})
}

// wrote checks how many writes of each kind were made.
func (a *atRestTest) wrote(arrivals, deliveries, own int) {
	a.Helper()
	got := fmt.Sprintf("%d with their request, %d deliveries, %d other checkpoints", a.store.arrivals.Load(), a.store.deliveries.Load(), a.store.own.Load())
	if want := fmt.Sprintf("%d with their request, %d deliveries, %d other checkpoints", arrivals, deliveries, own); got != want {
		a.Errorf("writes: %s; want %s", got, want)
	}
}

// ends waits for the session's next rest, and checks its status, the answers it has and the calls made.
func (a *atRestTest) ends(status string, mails int, answers ...string) {
	a.Helper()
	s, err := a.engine.Wait(a.ctx, "A")
	if err != nil || s.Status != status {
		a.Fatalf("the session is %+v, %v; want %s", s, err, status)
	}
	if n := a.mails.Load(); n != int64(mails) {
		a.Errorf("%d calls, want %d", n, mails)
	}
	list, err := a.store.AllRequests(a.ctx, "A", store.HistoryQuery{Limit: 100})
	if err != nil {
		a.Fatal(err)
	}
	var got []string
	for _, q := range list {
		if q.Kind == engine.RequestAnswer {
			got = append(got, string(q.Body)+" "+q.Outcome)
		}
		if !q.Applied {
			a.Errorf("request %d is not applied", q.N)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(answers) {
		a.Errorf("answers %v, want %v", got, answers)
	}
}

// steps is a workflow of steps in a row, of these functions.
func stepsOf(functions ...string) *engine.Workflow {
	w := &engine.Workflow{}
	for i, f := range functions {
		id := fmt.Sprintf("s%d", i)
		if i == 0 {
			id = "root"
		}
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: f})
		if i > 0 {
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: w.Steps[i-1].ID, Target: id})
		}
	}
	return w
}

// TestAnswerAtRestIsOneWrite: an answer is written with all that follows it up to the next pause, the
// end, or the next call.
func TestAnswerAtRestIsOneWrite(t *testing.T) {
	for _, c := range []struct {
		name   string
		w      *engine.Workflow
		own    int
		mails  int
		status string
	}{
		{"to the next question", stepsOf("ask_name", "pure", "ask_name"), 0, 0, engine.StatusAwaitingInput},
		{"to the end", stepsOf("ask_name", "pure"), 0, 0, engine.StatusComplete},
		{"to the first call", stepsOf("ask_name", "mail"), 1, 1, engine.StatusComplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			answersAtRest(t, c.w, func(a *atRestTest) {
				s, err := a.answer("Ada", "k")
				if err != nil {
					t.Fatal(err)
				}
				if s.Accepted == nil || s.Accepted.Request != "A/k" || s.Replayed || len(s.Awaiting) != 1 || !s.Awaiting[0].Answered {
					t.Errorf("the answer says %+v %+v", s, s.Accepted)
				}
				waited, err := a.engine.WaitAfter(a.ctx, s)
				if err != nil || waited.Status != c.status {
					t.Errorf("waited for %+v, %v", waited, err)
				}
				a.ends(c.status, c.mails, `"Ada" applied`)
				a.wrote(1, 0, c.own)
				if n := a.store.reads.Load(); n != 1 {
					t.Errorf("the definition was read %d times", n)
				}
				again, err := a.answer("Ada", "k")
				if err != nil || !again.Replayed || !again.Accepted.At.Equal(s.Accepted.At) {
					t.Errorf("sent again: %+v, %v", again, err)
				}
				if _, err := a.answer("Bob", "other"); !errors.Is(err, engine.ErrAlreadyAnswered) {
					t.Errorf("another answer: %v", err)
				}
				a.ends(c.status, c.mails, `"Ada" applied`)
			})
		})
	}
}

// TestAnswerOvertaken: what happens to the session between the read and the write counts.
func TestAnswerOvertaken(t *testing.T) {
	w := stepsOf("ask_name", "mail")
	t.Run("by another answer", func(t *testing.T) {
		answersAtRest(t, w, func(a *atRestTest) {
			a.store.before = func() {
				if _, err := a.outside.Answer(a.ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(`"Bob"`)}); err != nil {
					t.Error(err)
				}
			}
			if _, err := a.answer("Ada", "k"); !errors.Is(err, engine.ErrAlreadyAnswered) {
				t.Errorf("the second answer: %v", err)
			}
			a.ends(engine.StatusComplete, 1, `"Bob" applied`)
		})
	})
	t.Run("by a cancel", func(t *testing.T) {
		answersAtRest(t, w, func(a *atRestTest) {
			a.store.before = func() {
				if _, err := a.outside.Act(a.ctx, engine.Action{Session: "A", Kind: engine.RequestCancel}); err != nil {
					t.Error(err)
				}
			}
			if _, err := a.answer("Ada", "k"); !errors.Is(err, engine.ErrNoOpenQuestion) {
				t.Errorf("the answer: %v", err)
			}
			a.ends(engine.StatusCancelled, 0)
		})
	})
	t.Run("by a signal that changes nothing", func(t *testing.T) {
		answersAtRest(t, w, func(a *atRestTest) {
			a.store.before = func() {
				if _, err := a.outside.Act(a.ctx, engine.Action{Session: "A", Kind: engine.RequestSignal, Name: "go"}); err != nil {
					t.Error(err)
				}
			}
			if _, err := a.answer("Ada", "k"); err != nil {
				t.Error(err)
			}
			a.ends(engine.StatusComplete, 1, `"Ada" applied`)
		})
	})
}

// TestAnswerWithUnknownOutcome: the answer to the write is lost, and the write is repeated.
func TestAnswerWithUnknownOutcome(t *testing.T) {
	answersAtRest(t, stepsOf("ask_name", "mail"), func(a *atRestTest) {
		a.store.after = func([]store.CommitResult) ([]store.CommitResult, error) {
			return nil, store.Detailf(store.ErrUnavailable, "connection lost")
		}
		s, err := a.answer("Ada", "")
		if err != nil || s.Replayed {
			t.Fatalf("%+v, %v", s, err)
		}
		a.ends(engine.StatusComplete, 1, `"Ada" applied`)
		a.wrote(2, 0, 1)
		list, err := a.store.AllRequests(a.ctx, "A", store.HistoryQuery{Limit: 1})
		if err != nil || !list[0].At.Equal(s.Accepted.At) {
			t.Errorf("accepted at %v, stored %+v, %v", s.Accepted.At, list, err)
		}
	})
}

// TestAnswerBeforeAChildSession: children that were decided on before the answer was written do not
// count twice.
func TestAnswerBeforeAChildSession(t *testing.T) {
	w := stepsOf("ask_name", "sessions")
	w.Steps[1].Input = `{"workflow": "child", "n": 1}`
	answersAtRest(t, w, func(a *atRestTest) {
		child := stepsOf("pure")
		child.ID = "child"
		if _, err := a.outside.Put(a.ctx, child, engine.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.answer("Ada", ""); err != nil {
			t.Fatal(err)
		}
		a.ends(engine.StatusComplete, 0, `"Ada" applied`)
		if n := a.store.arrivals.Load(); n != 0 {
			t.Errorf("%d checkpoints with their request", n)
		}
	})
}

// TestWhatAPureStepSees: a pure step after an answer sees nothing of the request that brings the
// answer, and what it says is said once, and not at all if the answer is refused.
func TestWhatAPureStepSees(t *testing.T) {
	type key struct{}
	answersAtRest(t, stepsOf("ask_name", "pure"), func(a *atRestTest) {
		events, err := a.engine.Subscribe(a.ctx, "A", "")
		if err != nil {
			t.Fatal(err)
		}
		said := make(chan int, 1)
		go func() {
			n := 0
			for ev := range events {
				if _, ok := ev.Data.(engine.TokenEvent); ok {
					n++
				}
			}
			said <- n
		}()
		ran := 0
		a.pure = func(ctx context.Context) {
			ran++
			engine.CallOf(ctx).Token("hello")
			if at, ok := ctx.Deadline(); ok && time.Until(at) < time.Second || ctx.Value(key{}) != nil {
				t.Errorf("the step has %v left, and the value %v", time.Until(at), ctx.Value(key{}))
			}
		}
		a.store.before = func() {
			if _, err := a.outside.Act(a.ctx, engine.Action{Session: "A", Kind: engine.RequestSignal, Name: "go"}); err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithTimeout(context.WithValue(a.ctx, key{}, "secret"), 500*time.Millisecond)
		defer cancel()
		if _, err := a.engine.Answer(ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(`"Ada"`)}); err != nil {
			t.Fatal(err)
		}
		a.ends(engine.StatusComplete, 0, `"Ada" applied`)
		if n := <-said; ran != 2 || n != 1 {
			t.Errorf("the step ran %d times, once before the write that was refused; %d tokens were heard, want 1", ran, n)
		}
	})
}

// TestAnswerOfAClientThatLeaves: the session runs although the client does not wait for the write.
func TestAnswerOfAClientThatLeaves(t *testing.T) {
	answersAtRest(t, stepsOf("ask_name", "mail"), func(a *atRestTest) {
		ctx, leave := context.WithCancel(a.ctx)
		a.store.after = func(results []store.CommitResult) ([]store.CommitResult, error) {
			leave()
			time.Sleep(time.Millisecond)
			return results, nil
		}
		_, err := a.engine.Answer(ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(`"Ada"`)})
		if !errors.Is(err, engine.ErrUnknownOutcome) {
			t.Errorf("error %v", err)
		}
		time.Sleep(2 * time.Second)
		a.ends(engine.StatusComplete, 1, `"Ada" applied`)
		a.wrote(1, 0, 1)
	})
}

// TestAnswerBeforeASlowStep: an answer waits a moment for pure steps, not longer, and later answers to
// the workflow do not wait at all for some time.
func TestAnswerBeforeASlowStep(t *testing.T) {
	w := stepsOf("ask_name", "pure", "ask_name")
	w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: "s2", Target: "root"})
	answersAtRest(t, w, func(a *atRestTest) {
		a.pure = func(context.Context) { time.Sleep(10 * time.Second) }
		begun := time.Now()
		if _, err := a.answer("Ada", ""); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > time.Second {
			t.Errorf("the answer took %v", took)
		}
		a.wrote(0, 1, 0)
		a.ends(engine.StatusAwaitingInput, 0, `"Ada" applied`)
		a.pure = nil
		a.reset()
		if _, err := a.engine.Answer(a.ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(`"Bob"`)}); err != nil {
			t.Fatal(err)
		}
		a.ends(engine.StatusAwaitingInput, 0, `"Ada" applied`, `"Bob" applied`)
		a.wrote(1, 0, 0)
	})
}

// TestAnswerFollowsTheEdit: an edit saved before the answer counts.
func TestAnswerFollowsTheEdit(t *testing.T) {
	answersAtRest(t, stepsOf("ask_name", "pure"), func(a *atRestTest) {
		a.put(stepsOf("ask_name", "mail", "mail"))
		if _, err := a.answer("Ada", ""); err != nil {
			t.Fatal(err)
		}
		a.ends(engine.StatusComplete, 2, `"Ada" applied`)
		a.wrote(1, 0, 2)
	})
}

// TestAnswerWithDeadlineIsDelivered: its deadline counts by the store's clock.
func TestAnswerWithDeadlineIsDelivered(t *testing.T) {
	answersAtRest(t, stepsOf("ask_soon", "pure"), func(a *atRestTest) {
		if _, err := a.answer("Ada", ""); err != nil {
			t.Fatal(err)
		}
		a.ends(engine.StatusComplete, 0, `"Ada" applied`)
		a.wrote(0, 1, 1)
	})
}

package engine_test

import (
	"context"
	"encoding/json"
	"errors"
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
	"github.com/tidwall/gjson"
)

// A countedStore counts checkpoints and calls a hook after each creation, before the engine learns of it.
type countedStore struct {
	engine.Store
	commits atomic.Int64
	created func()
	dies    error // what creations that were made return
}

func (s *countedStore) Create(ctx context.Context, list []store.NewSession) ([]store.Created, error) {
	out, err := s.Store.Create(ctx, list)
	if s.created != nil {
		s.created()
	}
	if s.dies != nil {
		return nil, s.dies
	}
	return out, err
}

func (s *countedStore) Commit(ctx context.Context, list []store.Checkpoint) ([]store.CommitResult, error) {
	s.commits.Add(int64(len(list)))
	return s.Store.Commit(ctx, list)
}

// A birth is an engine, on a counted store, with a workflow of two calls, and one that takes requests only.
type birth struct {
	*testing.T
	ctx             context.Context
	store           *countedStore
	engine, outside *engine.Engine
	calls           atomic.Int64
	stop            func()
}

func births(t *testing.T, o engine.Options, test func(b *birth)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &birth{T: t, ctx: t.Context(), store: &countedStore{Store: memory.New(memory.Options{})}}
		registry := engine.NewRegistry()
		registry.Add(engine.Spec{Name: "mail", Effects: true, Function: function.FunctionFunc(func(context.Context, json.RawMessage) (json.RawMessage, error) {
			b.calls.Add(1)
			return json.RawMessage(`{"sent":true}`), nil
		})})
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
		b.engine, b.outside = engine.New(b.store, registry, o), engine.New(b.store.Store, registry, engine.Options{Log: o.Log})
		b.put("root", "then")
		b.run(b.engine)
		defer func() { b.stop() }()
		test(b)
	})
}

func (b *birth) put(ids ...string) {
	w := &engine.Workflow{ID: "W"}
	for i, id := range ids {
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "mail", Input: `{"to": "@{SESSION_ID}.name|nobody"}`})
		if i > 0 {
			w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: ids[i-1], Target: id})
		}
	}
	if _, err := b.outside.Put(b.ctx, w, engine.PutOptions{}); err != nil {
		b.Fatal(err)
	}
}

// run runs an engine until stop.
func (b *birth) run(e *engine.Engine) {
	ctx, cancel := context.WithCancel(b.ctx)
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	b.stop = func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
	synctest.Wait()
}

// ends checks how a session ended after its calls, and how many of them are called lost.
func (b *birth) ends(status string, calls, lost int) {
	b.Helper()
	synctest.Wait()
	rec, err := b.store.Session(b.ctx, "A")
	if err != nil || rec.Status != status {
		b.Fatalf("the session is %+v, %v; want %s", rec, err, status)
	}
	if n := b.calls.Load(); n != int64(calls) {
		b.Errorf("%d calls were made, want %d", n, calls)
	}
	list, err := b.store.Executions(b.ctx, "A", store.HistoryQuery{Limit: 100})
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range list {
		if x.Status == engine.StatusLost {
			lost--
		}
	}
	if lost != 0 {
		b.Errorf("%d more calls should be lost: %+v", lost, list)
	}
}

func (b *birth) start(ctx context.Context) error {
	_, err := b.engine.Start(ctx, engine.StartRequest{Workflow: "W", ID: "A", Key: "k"})
	return err
}

// TestBornWithItsFirstCall counts the writes of a session whose first step has an effect.
func TestBornWithItsFirstCall(t *testing.T) {
	births(t, engine.Options{}, func(b *birth) {
		var calls int64 = -1
		b.store.created = func() {
			rec, err := b.store.Session(b.ctx, "A")
			if err != nil || !gjson.GetBytes(rec.Counters, "calls.root").Exists() {
				b.Errorf("created with counters %s, %v", rec.Counters, err)
			}
			calls = b.calls.Load()
		}
		if err := b.start(b.ctx); err != nil {
			b.Fatal(err)
		}
		b.ends(engine.StatusComplete, 2, 0)
		b.store.created = nil
		if n := b.store.commits.Load(); n != 2 || calls != 0 {
			b.Errorf("%d checkpoints after the creation, want one for each of 2 calls; %d calls before it", n, calls)
		}
		if err := b.start(b.ctx); err != nil { // the same key again
			b.Fatal(err)
		}
		if _, err := b.engine.Start(b.ctx, engine.StartRequest{Workflow: "W", ID: "A"}); !errors.Is(err, engine.ErrSessionExists) {
			b.Errorf("a taken id: %v", err)
		}
		b.ends(engine.StatusComplete, 2, 0)
	})
}

// TestEngineDiesAfterCreation lets the engine never learn that it has created a session: another
// takes the call for lost and makes it, under the same key.
func TestEngineDiesAfterCreation(t *testing.T) {
	births(t, engine.Options{}, func(b *birth) {
		b.store.dies = errors.New("this process has died")
		if err := b.start(b.ctx); err == nil {
			b.Error("the start was acknowledged")
		}
		b.stop()
		b.run(b.outside)
		time.Sleep(20 * time.Second)
		b.ends(engine.StatusComplete, 2, 1)
	})
}

// TestClientLeavesDuringCreation lets the client leave while its session is created: the engine that
// has created it runs it at once, and no call is taken for lost.
// The store made the session and its answer was lost: the creation is sent again, with the key of the
// start or without one. It is the same session, not a taken id, and its calls are made once.
func TestAnswerOfCreationIsLost(t *testing.T) {
	for _, key := range []string{"", "k"} {
		births(t, engine.Options{}, func(b *birth) {
			b.store.dies = engine.ErrUnknownOutcome
			b.store.created = func() { time.AfterFunc(time.Nanosecond, func() { b.store.dies = nil }) }
			got, err := b.engine.Start(b.ctx, engine.StartRequest{Workflow: "W", ID: "A", Key: key})
			if err != nil || got.Replayed {
				b.Fatalf("key %q: %+v, %v", key, got, err)
			}
			b.ends(engine.StatusComplete, 2, 0)
		})
	}
}

func TestClientLeavesDuringCreation(t *testing.T) {
	births(t, engine.Options{}, func(b *birth) {
		b.store.created = func() { time.Sleep(2 * time.Second) }
		ctx, cancel := context.WithTimeout(b.ctx, time.Second)
		defer cancel()
		if err := b.start(ctx); !errors.Is(err, engine.ErrUnknownOutcome) {
			b.Errorf("the start: %v", err)
		}
		time.Sleep(5 * time.Second)
		b.ends(engine.StatusComplete, 2, 0)
	})
}

// TestRequestBesideCreation delivers a request between the creation and the begin of the first call.
func TestRequestBesideCreation(t *testing.T) {
	for _, here := range []bool{true, false} {
		for action, status := range map[string]string{engine.RequestCancel: engine.StatusCancelled, engine.RequestPause: engine.StatusPaused} {
			births(t, engine.Options{}, func(b *birth) {
				from := b.outside
				if here {
					from = b.engine
				}
				b.store.created = func() {
					if _, err := from.Act(b.ctx, engine.Action{Session: "A", Kind: action}); err != nil {
						b.Error(err)
					}
				}
				if err := b.start(b.ctx); err != nil {
					b.Fatal(err)
				}
				time.Sleep(time.Second)
				calls := 0
				if !here { // seen with the first checkpoint
					calls = 1
				}
				b.ends(status, calls, 0)
			})
		}
	}
}

// TestStopBesideCreation stops the engine between the creation and the begin of the first call: the
// call was not made and is not called lost.
func TestStopBesideCreation(t *testing.T) {
	births(t, engine.Options{}, func(b *birth) {
		b.store.created = func() { b.stop() }
		if err := b.start(b.ctx); err != nil {
			b.Fatal(err)
		}
		synctest.Wait()
		b.run(b.outside)
		time.Sleep(time.Second)
		b.ends(engine.StatusComplete, 2, 0)
	})
}

// TestEditBesideCreation removes the first step while a slow store creates the session.
func TestEditBesideCreation(t *testing.T) {
	births(t, engine.Options{}, func(b *birth) {
		b.store.created = func() {
			time.Sleep(2 * time.Second)
			b.put("other")
		}
		if err := b.start(b.ctx); err != nil {
			b.Fatal(err)
		}
		b.ends(engine.StatusError, 0, 0)
	})
}

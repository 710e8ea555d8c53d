package engine_test

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// slowReads makes reads of definitions slow when told to, and calls a hook once, before
// the first checkpoint after that which keeps its lease.
type slowReads struct {
	engine.Store
	slow atomic.Bool
	once sync.Once
	hook func()
}

func (s *slowReads) Workflows(ctx context.Context, ids []string, entries map[string][]string) ([]*engine.Workflow, error) {
	if s.slow.Load() {
		time.Sleep(60 * time.Millisecond) // of the fake clock: longer than a checkpoint may stay open
	}
	return s.Store.Workflows(ctx, ids, entries)
}

func (s *slowReads) Commit(ctx context.Context, checkpoints []store.Checkpoint) ([]store.CommitResult, error) {
	for _, c := range checkpoints {
		if !c.Release && s.slow.Load() {
			s.once.Do(s.hook)
		}
	}
	return s.Store.Commit(ctx, checkpoints)
}

// TestAnswerFoundByACheckpoint: an answer that comes while a checkpoint is written, after
// a wave in which nothing moved, is applied by what follows the checkpoint; the session
// must not come to rest before the answer's paths have been followed.
func TestAnswerFoundByACheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := &slowReads{Store: memory.New(memory.Options{})}
		registry := engine.NewRegistry()
		engine.Register(registry, "ask_name", askName)
		engine.Register(registry, "greet", greet)
		engine.Register(registry, "slow_down", func(context.Context, struct{}) (struct{}, error) {
			opened.slow.Store(true)
			return struct{}{}, nil
		})
		e := engine.New(opened, registry, engine.Options{ReadEvery: -1})
		ctx := t.Context()
		stopEngine := enginetest.Start(t, e)
		_, err := e.PutWorkflow(ctx, &engine.Workflow{ID: "w",
			Steps: []engine.Step{{ID: "root"}, {ID: "a", Function: "ask_name"}, {ID: "b", Function: "ask_name"}, {ID: "slow", Function: "slow_down"},
				{ID: "both", Function: "greet", Join: engine.JoinAll, Input: `{"name": "@{SESSION_ID}.a.response and @{SESSION_ID}.b.response"}`}},
			Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "a"}, {Kind: engine.Next, Source: "root", Target: "b"},
				{Kind: engine.Next, Source: "a", Target: "slow"}, {Kind: engine.Next, Source: "a", Target: "both"}, {Kind: engine.Next, Source: "b", Target: "both"}}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w", ID: "s"}); err != nil {
			t.Fatal(err)
		}
		elsewhere := engine.New(opened, registry, engine.Options{}) // takes answers and runs nothing
		answer := func(by *engine.Engine, step, name string) {
			response, _ := json.Marshal(name)
			if _, err := by.Answer(ctx, engine.AnswerRequest{Session: "s", Step: step, Response: response}); err != nil {
				t.Error(err)
			}
		}
		opened.hook = func() { answer(elsewhere, "b", "Bob") }
		answer(elsewhere, "a", "Ada") // so that it is delivered and the runner applies it
		s, err := e.Wait(ctx, "s")
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Messages) == 0 || s.Messages[len(s.Messages)-1].Content != "Hello Ada and Bob" || s.Status != engine.StatusComplete {
			t.Errorf("the session is %s and said %+v", s.Status, s.Messages)
		}
		stopEngine()
	})
}

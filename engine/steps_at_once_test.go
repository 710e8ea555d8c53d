package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// The setting steps_at_once bounds the calls of one session; all of them are made.
func TestStepsAtOnce(t *testing.T) {
	for atOnce, want := range map[int]int64{0: 6, 1: 1, 2: 2} {
		t.Run(fmt.Sprint(atOnce), func(t *testing.T) {
			var now, most, calls atomic.Int64
			r := engine.NewRegistry()
			r.Add(engine.Spec{Name: "work", Effects: true, Function: function.FunctionFunc(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				calls.Add(1)
				n := now.Add(1)
				defer now.Add(-1)
				for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
				}
				for most.Load() < want && ctx.Err() == nil { // the others that may run begin meanwhile
					time.Sleep(time.Millisecond)
				}
				select {
				case <-time.After(50 * time.Millisecond): // one too many would begin meanwhile
				case <-ctx.Done():
				}
				return json.RawMessage(`{}`), nil
			})})
			e := engine.New(memory.New(memory.Options{}), r, engine.Options{})
			w := &engine.Workflow{ID: "w", Settings: engine.Settings{StepsAtOnce: atOnce}, Steps: []engine.Step{{ID: "root"}, {ID: "end", Join: engine.JoinAll}}}
			for i := range 6 {
				id := fmt.Sprintf("s%d", i)
				w.Steps = append(w.Steps, engine.Step{ID: id, Function: "work", Input: "{}"})
				w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: "root", Target: id}, engine.Path{Kind: engine.Next, Source: id, Target: "end"})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if _, err := e.Put(ctx, w, engine.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			stopEngine := enginetest.Start(t, e)
			s, err := e.StartAndWait(ctx, engine.StartRequest{Workflow: "w"})
			if err != nil || s.Status != engine.StatusComplete {
				t.Fatalf("%v %+v", err, s)
			}
			stopEngine()
			if calls.Load() != 6 || most.Load() != want {
				t.Errorf("%d calls, at most %d at once, want 6 and %d", calls.Load(), most.Load(), want)
			}
		})
	}
}

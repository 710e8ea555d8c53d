package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// fanoutWorkflow is one step that leads to n effects side by side, which a join brings together.
func fanoutWorkflow(n int) *engine.Workflow {
	w := &engine.Workflow{ID: "F", Settings: engine.Settings{MaxSteps: 2 * n}, Steps: []engine.Step{
		{ID: "root", Function: "quick"}, {ID: "end", Function: "quick", Join: engine.JoinAll},
	}}
	for i := range n {
		id := fmt.Sprintf("e%05d", i)
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "mail", Input: `{"n": 1}`})
		w.Paths = append(w.Paths, engine.Path{Kind: engine.Next, Source: "root", Target: id}, engine.Path{Kind: engine.Next, Source: id, Target: "end"})
	}
	return w
}

func playFanout(tb testing.TB, store engine.Store, n int, takes time.Duration) time.Duration {
	tb.Helper()
	r := engine.NewRegistry()
	engine.Register(r, "quick", func(context.Context, map[string]any) (map[string]any, error) { return map[string]any{"ok": true}, nil })
	engine.Register(r, "mail", func(context.Context, map[string]any) (map[string]any, error) {
		time.Sleep(takes)
		return map[string]any{"ok": true}, nil
	}, func(s *engine.Spec) { s.Effects = true })
	e := engine.New(store, r, engine.Options{})
	if _, err := e.Put(tb.Context(), fanoutWorkflow(n), engine.PutOptions{}); err != nil {
		tb.Fatal(err)
	}
	ctx := tb.Context()
	enginetest.Start(tb, e)
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	if _, err := e.Start(ctx, engine.StartRequest{Workflow: "F", ID: "A"}); err != nil {
		tb.Fatal(err)
	}
	v, err := e.Wait(ctx, "A")
	if err != nil {
		tb.Fatal(err)
	}
	if v.Status != engine.StatusComplete {
		tb.Fatalf("status %s %v", v.Status, v.Error)
	}
	return time.Since(began)
}

// BenchmarkFanout: one session whose n effects are active side by side, 32 of them under way at
// a time. What counts is how the time grows with n. Effects that take no time show what the
// engine takes for them, those of 2 ms end one by one.
func BenchmarkFanout(b *testing.B) {
	stores := map[string]func(b *testing.B) engine.Store{
		"memory": func(*testing.B) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(b *testing.B) engine.Store {
			return opened(b)(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{}))
		},
	}
	for _, name := range []string{"memory", "sqlite"} {
		for _, takes := range []time.Duration{0, 2 * time.Millisecond} {
			for _, n := range []int{1000, 2000, 4000, 8000} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, takes, n), func(b *testing.B) {
					var all time.Duration
					store := &meteredStore{Store: stores[name](b)}
					for i := 0; b.Loop(); i++ {
						all += playFanout(b, store, n, takes)
						b.StopTimer()
						store.Store = stores[name](b)
						b.StartTimer()
					}
					b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "ms/session")
					b.ReportMetric(float64(store.commits.Load())/float64(b.N), "checkpoints")
					b.ReportMetric(float64(store.bytes.Load())/1e6/float64(b.N), "MB")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}

// TestFanoutIsWrittenInGroups: in a large session results of calls are written in groups. With a
// checkpoint for each few that came together 2,000 calls of 2 ms took some 200 checkpoints and
// 80 MB of state, and the cost grew with the square of the calls.
func TestFanoutIsWrittenInGroups(t *testing.T) {
	const n = 2000
	store := &meteredStore{Store: memory.New(memory.Options{})}
	playFanout(t, store, n, 2*time.Millisecond)
	if checkpoints, bytes := store.commits.Load(), store.bytes.Load(); checkpoints > 60 || bytes > 20e6 {
		t.Errorf("%d calls: %d checkpoints of %d bytes together", n, checkpoints, bytes)
	}
	list, err := store.Executions(t.Context(), "A", engine.HistoryQuery{Limit: 500, Newest: true})
	if err != nil || len(list) != 500 || list[0].Seq != n+2 && list[499].Seq != n+2 {
		t.Errorf("the history is not complete: %d, %v", len(list), err)
	}
}

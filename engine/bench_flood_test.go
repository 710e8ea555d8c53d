package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
)

// floodForm answers all n open questions of one session at once and returns how long it took
// until all answers were accepted, and until the session was complete.
func floodForm(tb testing.TB, n int) (accepted, complete time.Duration) {
	return flooded(tb, floodWorkflows(n)[2], n, func(ctx context.Context, e *engine.Engine, i int) error {
		_, err := e.Answer(ctx, engine.AnswerRequest{Session: "A", Step: fmt.Sprint("q", i), Response: json.RawMessage(`"x"`)})
		return err
	})
}

// floodSignals sends n signals to a session that waits for n of them.
func floodSignals(tb testing.TB, n int) (accepted, complete time.Duration) {
	w := &engine.Workflow{ID: "form", Settings: engine.Settings{MaxSteps: 1000 * n}, Steps: []engine.Step{{ID: "root"}, {ID: "end", Function: "say", Join: engine.JoinAll, Input: `{"text": "all"}`}}}
	for i := range n {
		id := fmt.Sprint("q", i)
		w.Steps = append(w.Steps, engine.Step{ID: id, Function: "sleep", Input: fmt.Sprintf(`{"signal": "s%d"}`, i)})
		w.Paths = append(w.Paths, next("root", id), next(id, "end"))
	}
	return flooded(tb, w, n, func(ctx context.Context, e *engine.Engine, i int) error {
		_, err := e.Act(ctx, engine.Action{Session: "A", Kind: engine.RequestSignal, Name: fmt.Sprint("s", i)})
		return err
	})
}

func flooded(tb testing.TB, w *engine.Workflow, n int, one func(context.Context, *engine.Engine, int) error) (accepted, complete time.Duration) {
	tb.Helper()
	f := newFakes()
	r := f.registry()
	engine.Register(r, "ask_name", askName)
	e := engine.New(memory.New(memory.Options{}), r, engine.Options{})
	if _, err := e.Put(tb.Context(), w, engine.PutOptions{Force: true}); err != nil {
		tb.Fatal(err)
	}
	ctx := tb.Context()
	enginetest.Start(tb, e)
	if _, err := e.Start(ctx, engine.StartRequest{Workflow: "form", ID: "A"}); err != nil {
		tb.Fatal(err)
	}
	if _, err := e.Wait(ctx, "A"); err != nil {
		tb.Fatal(err)
	}
	var all sync.WaitGroup
	began := time.Now()
	for i := range n {
		all.Go(func() {
			if err := one(ctx, e, i); err != nil {
				tb.Error(err)
			}
		})
	}
	all.Wait()
	accepted = time.Since(began)
	for {
		s, err := e.Wait(ctx, "A")
		if err != nil {
			tb.Fatal(err)
		}
		if s.Status == engine.StatusComplete {
			return accepted, time.Since(began)
		}
	}
}

// BenchmarkFlood: n requests at once to one session that has n steps for them. What counts is
// how the time grows with n: the reply to each shows the whole session, all else is linear.
func BenchmarkFlood(b *testing.B) {
	for _, kind := range []struct {
		name string
		play func(testing.TB, int) (time.Duration, time.Duration)
	}{{"answers", floodForm}, {"signals", floodSignals}} {
		for _, n := range []int{250, 500, 1000, 2000} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, n), func(b *testing.B) {
				var accepted, complete time.Duration
				for b.Loop() {
					one, all := kind.play(b, n)
					accepted += one
					complete += all
				}
				b.ReportMetric(float64(accepted.Milliseconds())/float64(b.N), "ms-accepted")
				b.ReportMetric(float64(complete.Milliseconds())/float64(b.N), "ms-complete")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

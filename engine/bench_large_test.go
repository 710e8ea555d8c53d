//go:build unix

package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/sqlite"
)

// largeParts is how many parts a large state has: each of them is small enough not to be a BLOB.
const largeParts = 60

// largeStart begins a session whose state holds about n bytes of one kind.
func largeStart(kind string, n int) engine.StartRequest {
	q := engine.StartRequest{Workflow: "L", ID: "A"}
	text := func(n int) string { return strings.Repeat("a line of a \"document\",\n", n/28) }
	parts := map[string]json.RawMessage{}
	for i := range largeParts {
		parts[fmt.Sprint("part", i)], _ = json.Marshal(map[string]any{"n": i, "text": text(n / largeParts)})
	}
	switch kind {
	case "outputs":
		q.Outputs = parts
	case "seeds":
		q.Seeds = parts
	case "chat": // the newest message is kept whatever its size
		q.Messages = []engine.Message{{Role: "user", Content: text(n)}}
	}
	return q
}

// playLarge runs steps small steps with effects in one session with a large state, and returns the
// wall and processor time that they take. Before each of them the session is paused by a question if
// asks is true.
func playLarge(tb testing.TB, store engine.Store, start engine.StartRequest, steps int, asks bool) (wall, cpu time.Duration) {
	tb.Helper()
	w := &engine.Workflow{ID: "L", Settings: engine.Settings{MaxSteps: 4 * steps}, Steps: []engine.Step{
		{ID: "root", Function: "count"}, {ID: "effect", Function: "mail", Input: `{"n": 1}`},
	}, Paths: []engine.Path{{Kind: engine.Next, Source: "root", Target: "effect"}, {Kind: engine.Next, Source: "effect", Target: "root",
		Condition: "@{SESSION_ID}.root.more"}}}
	for i := range largeParts { // the seeds are for these
		w.Steps = append(w.Steps, engine.Step{ID: fmt.Sprint("part", i)})
	}
	if asks {
		w.Steps[0] = engine.Step{ID: "root", Function: "ask", Input: `{"prompt": "go on?"}`}
		w.Paths[1].Condition = nil
	}
	r := engine.NewRegistry()
	n := 0
	engine.Register(r, "count", func(context.Context, map[string]any) (map[string]bool, error) {
		n++
		return map[string]bool{"more": n < steps}, nil
	})
	engine.Register(r, "ask", func(context.Context, map[string]any) (map[string]any, error) {
		return nil, &engine.AwaitInput{Prompt: "go on?"}
	})
	engine.Register(r, "mail", func(context.Context, map[string]any) (map[string]any, error) { return map[string]any{"ok": true}, nil },
		func(s *engine.Spec) { s.Effects = true })
	e := engine.New(store, r, engine.Options{SessionLimits: engine.SessionLimits{MaxInputs: 8 << 20, MaxState: 8 << 20}})
	if _, err := e.Put(tb.Context(), w, engine.PutOptions{}); err != nil {
		tb.Fatal(err)
	}
	ctx := tb.Context()
	enginetest.Start(tb, e)
	began, used := time.Now(), processorTime(tb)
	s, err := e.Start(ctx, start)
	for i := 0; err == nil; i++ {
		if s, err = e.WaitAfter(ctx, s); err != nil || i == steps || !asks {
			break
		}
		s, err = e.Answer(ctx, engine.AnswerRequest{Session: "A", Response: json.RawMessage(`"yes"`)})
	}
	if err != nil || s.Error != nil || len(s.Problems) > 0 {
		tb.Fatalf("%v %+v", err, s)
	}
	return time.Since(began), processorTime(tb) - used
}

// processorTime returns how much processor time this process has used.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkLargeState: small steps with effects in a session with a large state. Each step has a
// checkpoint that writes the whole state, so what counts is how often a text is gone through.
func BenchmarkLargeState(b *testing.B) {
	const steps = 100
	stores := map[string]func(b *testing.B) engine.Store{
		"memory": func(*testing.B) engine.Store { return memory.New(memory.Options{}) },
		"sqlite": func(b *testing.B) engine.Store {
			return opened(b)(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{}))
		},
	}
	for _, name := range []string{"memory", "sqlite"} {
		for _, kind := range []string{"outputs", "chat", "seeds"} {
			for _, size := range []int{300_000, 3_600_000} {
				for how, asks := range map[string]bool{"steps": false, "answers": true} {
					b.Run(fmt.Sprintf("%s/%s/%s/%d", name, how, kind, size), func(b *testing.B) {
						var wall, cpu time.Duration
						for b.Loop() {
							w, c := playLarge(b, stores[name](b), largeStart(kind, size), steps, asks)
							wall, cpu = wall+w, cpu+c
						}
						b.ReportMetric(float64(wall.Microseconds())/float64(b.N*steps), "µs/step")
						b.ReportMetric(float64(cpu.Microseconds())/float64(b.N*steps), "cpu-µs/step")
						b.ReportMetric(0, "ns/op")
					})
				}
			}
		}
	}
}

package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// BenchmarkCommit1 is a lone session: one checkpoint in each transaction.
func BenchmarkCommit1(b *testing.B) { benchmarkCommit(b, 1, 0) }

// BenchmarkCommit1Execution is the same with an EXECUTION and its lineage in each checkpoint.
func BenchmarkCommit1Execution(b *testing.B) { benchmarkCommit(b, 1, 1) }

// BenchmarkCommit200 is a full group: 200 sessions in each transaction.
func BenchmarkCommit200(b *testing.B) { benchmarkCommit(b, 200, 0) }

// BenchmarkCommit200Execution is the same with an EXECUTION and its lineage in each checkpoint.
func BenchmarkCommit200Execution(b *testing.B) { benchmarkCommit(b, 200, 1) }

// benchmarkCommit commits checkpoints of 1 KiB of state; one operation is one checkpoint.
func benchmarkCommit(b *testing.B, group, executions int) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	rows := leased(b, s, group)
	for b.Loop() {
		b.StopTimer()
		next(rows, executions)
		b.StartTimer()
		results, err := s.Commit(ctx, rows)
		if err != nil {
			b.Fatal(err)
		}
		for i := range results {
			if results[i].Outcome != store.Committed {
				b.Fatalf("row %d: outcome %d", i, results[i].Outcome)
			}
			rows[i].Version++
		}
	}
	b.ReportMetric(float64(b.N*group)/b.Elapsed().Seconds(), "checkpoints/s")
}

// leased creates sessions and returns a first checkpoint for each.
func leased(b *testing.B, s store.Store, n int) []store.Checkpoint {
	sessions := make([]store.NewSession, n)
	rows := make([]store.Checkpoint, n)
	for i := range sessions {
		id := fmt.Sprintf("0190a5c2-7b1e-7c3d-9f00-%012d", i)
		sessions[i] = store.NewSession{ID: id, Workflow: "bench", State: []byte(`{}`), Counters: []byte(`{}`), Status: store.StatusActive,
			Claim: &store.Lease{Token: "token-" + id, Owner: "bench", For: time.Hour}}
		rows[i] = store.Checkpoint{Session: id, Lease: "token-" + id, Status: store.StatusActive,
			State: bytes.Repeat([]byte("x"), 1024), Counters: []byte(`{"seq":12,"visits":{"a":3,"b":3},"seen":0}`)}
	}
	if _, err := s.Create(context.Background(), sessions); err != nil {
		b.Fatal(err)
	}
	return rows
}

// next makes of each checkpoint the one that follows it.
func next(rows []store.Checkpoint, executions int) {
	now := time.Now()
	for i := range rows {
		c := &rows[i]
		c.Transition = fmt.Sprintf("%s-%d", c.Session, c.Version)
		c.Executions = c.Executions[:0]
		for range executions {
			c.Executions = append(c.Executions, store.Execution{Session: c.Session, Seq: c.Version + 1, Workflow: "bench", Step: "a", Visit: int(c.Version) + 1,
				Attempt: 1, Status: store.StatusComplete, Function: "utils.reply.reply", Input: []byte(`{"text":"hello"}`), Output: []byte(`{"text":"hello"}`),
				StartedAt: now, FinishedAt: now, Definition: "0123456789abcdef0123456789abcdef"})
			if c.Version > 0 {
				before := []store.Lineage{{Execution: fmt.Sprintf("%s/%d", c.Session, c.Version), Label: "a"}}
				c.Executions[len(c.Executions)-1].Reads, c.Executions[len(c.Executions)-1].Took = before, before
			}
		}
	}
}

// BenchmarkWorkflows20 reads a workflow that has not changed.
func BenchmarkWorkflows20(b *testing.B) { benchmarkWorkflows(b, 20) }

// BenchmarkWorkflows5000 is the same with 5,000 steps.
func BenchmarkWorkflows5000(b *testing.B) { benchmarkWorkflows(b, 5000) }

func benchmarkWorkflows(b *testing.B, steps int) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	edit := store.Edit{Workflow: "w"}
	for i := range steps {
		edit.PutSteps = append(edit.PutSteps, graph.Step{ID: fmt.Sprint(i), Function: "utils.reply.reply", Input: `{"text": "hello"}`})
	}
	if _, err := s.EditWorkflow(b.Context(), edit); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := s.Workflows(b.Context(), []string{"w"}, nil); err != nil || len(found) != 1 {
			b.Fatal(found, err)
		}
	}
}

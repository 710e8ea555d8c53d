package cypher_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/store"
)

// BenchmarkCommit1 writes one checkpoint at a time, as a lone session does.
func BenchmarkCommit1(b *testing.B) { benchmarkCommit(b, 1, 1024) }

// BenchmarkCommit200 writes 200 checkpoints at a time, as many busy sessions do.
func BenchmarkCommit200(b *testing.B) { benchmarkCommit(b, 200, 1024) }

// BenchmarkCommit200Large does so with states of 8 KiB.
func BenchmarkCommit200Large(b *testing.B) { benchmarkCommit(b, 200, 8192) }

// benchmarkCommit writes checkpoints with a state of some bytes, one execution that read
// another and was led to by it, and every fourth time a message.
func benchmarkCommit(b *testing.B, rows, bytes int) {
	opened := open(b)
	checkpoints := make([]store.Checkpoint, rows)
	for i := range checkpoints {
		record, l := session(b, opened, "bench")
		checkpoints[i] = store.Checkpoint{Session: record.ID, Lease: l.Token, LeaseFor: time.Minute, Status: store.StatusActive,
			State: []byte(`{"filler":"` + strings.Repeat("x", bytes) + `"}`), Counters: []byte(`{"seq":1}`)}
	}
	round := 0
	commit := func() {
		round++
		for i := range checkpoints {
			advance(&checkpoints[i], round)
		}
		results, err := opened.Commit(b.Context(), checkpoints)
		if err != nil {
			b.Fatal(err)
		}
		for i := range results {
			if results[i].Outcome != store.Committed {
				b.Fatalf("checkpoint %d of %s: outcome %v", round, checkpoints[i].Session, results[i].Outcome)
			}
			checkpoints[i].Version++
		}
	}
	commit()
	for b.Loop() {
		commit()
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "checkpoints/s")
}

// advance makes the checkpoint that follows.
func advance(c *store.Checkpoint, round int) {
	c.Transition = fmt.Sprintf("%s@%d", c.Session, round)
	before := fmt.Sprintf("%s/%d", c.Session, round-1)
	c.Executions = []store.Execution{{
		Seq: int64(round), Workflow: "bench", Step: "step", Visit: round, Attempt: 1, Status: store.StatusComplete, Function: "none",
		Input: []byte(`{"a":1}`), Output: []byte(`{"b":2}`), StartedAt: time.Now(), FinishedAt: time.Now(),
		Reads: []store.Lineage{{Execution: before, Label: "@{SESSION_ID}.step"}},
		Took:  []store.Lineage{{Execution: before, Label: "step>step"}},
	}}
	c.Messages = nil
	if round%4 == 0 {
		c.Messages = []function.Message{{Role: "assistant", Content: "hello", N: int64(round / 4), At: time.Now().UnixMilli()}}
	}
}

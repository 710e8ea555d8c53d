package engine_test

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/sqlite"
)

var batchSessions = flag.Int("batch-sessions", 2000, "sessions that BenchmarkBatchAnswers answers")

// BenchmarkBatchAnswers answers -batch-sessions paused sessions as one batch. accepted/s is
// how fast their answers became durable, answers/s how fast the sessions were done with
// them; the start of the sessions is not counted. One round is enough: -benchtime 1x.
func BenchmarkBatchAnswers(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		answerBatch(b, opened(b)(sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"), sqlite.Options{})))
	})
	b.Run("neo4j", func(b *testing.B) {
		server := neo4jtest.Own(b, neo4jserver.Options{})
		answerBatch(b, opened(b)(cypher.Open(b.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})))
	})
}

func answerBatch(b *testing.B, store engine.Store) {
	o := newOperator(b, store)
	var accepted, answered time.Duration
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		rounds++
		w := o.asking()
		o.start(w, *batchSessions)
		b.StartTimer()
		began := time.Now()
		batch := o.over(o.begin(answerAll(w, `"Ada"`, engine.BatchOptions{})).ID)
		accepted += time.Since(began)
		o.counts(batch, engine.BatchComplete, int64(*batchSessions), 0)
		o.until("all are complete", func() bool {
			counts, err := o.engine.CountSessions(o.ctx, engine.SessionQuery{Workflow: w, Status: []string{engine.StatusAwaitingInput, engine.StatusActive}}, "status")
			o.noError(err)
			return len(counts) == 0
		})
		answered += time.Since(began)
		b.StopTimer()
		gone := engine.BatchRequest{Action: engine.ActionDelete, Filter: &engine.SessionQuery{Workflow: w}}
		o.finish(gone, int64(*batchSessions), 0) // each round finds an empty store
		b.StartTimer()
	}
	all := float64(rounds * *batchSessions)
	b.ReportMetric(all/accepted.Seconds(), "accepted/s")
	b.ReportMetric(all/answered.Seconds(), "answers/s")
}

package neo4jtest

import (
	"context"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// InUse puts 4,000 finished sessions and a history of as many executions into the database
// until the test ends, and has the server plan anew. A plan depends on how many nodes there are:
// of an empty database the planner takes any, and which one differs from run to run.
func InUse(tb testing.TB, driver neo4j.DriverWithContext) {
	tb.Helper()
	run := func(text string) {
		tb.Helper()
		session := driver.NewSession(context.Background(), neo4j.SessionConfig{})
		defer func() { _ = session.Close(context.Background()) }()
		result, err := session.Run(context.Background(), text, nil)
		if err == nil {
			_, err = result.Consume(context.Background())
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	run(`UNWIND range(1, 4000) AS i
		CREATE (:SESSION:IN_USE {id: 'in-use-' + i, workflow: 'in-use-' + i % 10, status: ['complete', 'error', 'rejected', 'cancelled'][i / 10 % 4],
			root: 'in-use-' + i, created_at: datetime() - duration({seconds: i}), state: '{}', version: 1, labels: []})
			-[:EXECUTED]->(:EXECUTION:IN_USE {id: 'in-use-' + i + '/1', session: 'in-use-' + i, seq: i, step: 'a', visit: 1})`)
	tb.Cleanup(func() { run("MATCH (n:IN_USE) DETACH DELETE n") })
	run(`UNWIND range(2, 4000) AS i
		MATCH (a:EXECUTION {id: 'in-use-' + i + '/1'}), (b:EXECUTION {id: 'in-use-' + (i - 1) + '/1'})
		CREATE (a)-[:READ]->(b), (b)-[:TOOK]->(a)`)
	run("CALL db.awaitIndexes(60)")
	run("CALL db.prepareForReplanning(60)")
}

package cypher_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
	"github.com/stepgraph/stepgraph/engine/function"
)

func TestReadQuery(t *testing.T) {
	opened, p := open(t), newPerson(t)
	mark := unique("read")
	made := map[string]any{"mark": mark}
	if _, err := neo4j.ExecuteQuery(t.Context(), p.driver, `CREATE (a:Thing {mark: $mark, n: 1, f: 1.5, l: ['x', 'y'], d: date('2025-01-02'), p: point({x: 1, y: 2})})-[:NEAR {since: 7}]->(:Thing {mark: $mark, n: 2})`, made, neo4j.EagerResultTransformer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := neo4j.ExecuteQuery(context.Background(), p.driver, "MATCH (n:Thing {mark: $mark}) DETACH DELETE n", made, neo4j.EagerResultTransformer); err != nil {
			t.Error(err)
		}
	})
	tests := []struct {
		query string
		limit int
		want  string
	}{
		{"MATCH (a:Thing {mark: $mark}) RETURN a.n AS n ORDER BY n", 5, `[{"n":1},{"n":2}]`},
		{"MATCH (a:Thing {mark: $mark}) RETURN a.n AS n ORDER BY n", 1, `[{"n":1}]`},
		{"MATCH (a:Thing {mark: $mark, n: 9}) RETURN a", 5, `[]`},
		{"MATCH (a:Thing {mark: $mark})-[r]->() RETURN a {.f, .l, .d} AS a, r", 5, `[{"a":{"d":"2025-01-02","f":1.5,"l":["x","y"]},"r":{"properties":{"since":7},"type":"NEAR"}}]`},
		{"MATCH p = (:Thing {mark: $mark})-->() RETURN [n IN nodes(p) | n.n] AS n, length(p) AS l, [x IN nodes(p) WHERE x.n = 2 | x {.n}] AS m", 5, `[{"l":1,"m":[{"n":2}],"n":[1,2]}]`},
		{"RETURN $list AS list, 0.0/0.0 AS nan, null AS nothing, duration('P1D') AS d", 5, `[{"d":"P0M1DT0S","list":[1,{"a":"b"}],"nan":"NaN","nothing":null}]`},
		{"UNWIND range(1, 1000000) AS x RETURN x", 2, `[{"x":1},{"x":2}]`},
		{"CALL db.labels() YIELD label WHERE label = 'Thing' RETURN label", 5, `[{"label":"Thing"}]`},
	}
	for _, test := range tests {
		rows, err := opened.ReadQuery(t.Context(), test.query, map[string]any{"mark": mark, "list": []any{int64(1), map[string]any{"a": "b"}}}, test.limit)
		got, _ := json.Marshal(rows)
		if err != nil || string(got) != test.want {
			t.Errorf("%s gives %s, %v\nwant %s", test.query, got, err, test.want)
		}
	}
}

// Whatever a query says, the graph stays as it is.
func TestReadQueryChangesNothing(t *testing.T) {
	opened, p := open(t), newPerson(t)
	mark := unique("written")
	for _, query := range []string{
		"CREATE (:Thing {mark: $mark})",
		"WITH 1 AS x CREATE (:Thing {mark: $mark})",
		"MATCH (n:Thing) SET n.mark = $mark",
		`WITH 1 AS x \u0043REATE (:Thing {mark: $mark})`,
		"CALL { WITH 1 AS x MERGE (:Thing {mark: $mark}) } RETURN 1",
		"UNWIND [1] AS x CALL (x) { CREATE (:Thing {mark: $mark}) } IN TRANSACTIONS RETURN 1",
		"CALL db.createLabel($mark)",
		"WITH 1 AS x LOAD CSV FROM 'file:///x' AS line RETURN line",
		"CREATE INDEX odd FOR (n:Thing) ON (n.mark)",
		"RETURN 1; CREATE (:Thing {mark: $mark})",
		"EXPLAIN MATCH (n) RETURN n", "SHOW TRANSACTIONS", "RETURN", "RETURN $absent",
	} {
		rows, err := opened.ReadQuery(t.Context(), query, map[string]any{"mark": mark}, 5)
		if function.KindOf(err) != function.KindBadInput || function.IsTransient(err) {
			t.Errorf("%s gives %v, %v", query, rows, err)
		}
	}
	result, err := neo4j.ExecuteQuery(t.Context(), p.driver, "MATCH (n:Thing {mark: $mark}) RETURN count(n) AS n", map[string]any{"mark": mark}, neo4j.EagerResultTransformer)
	if err != nil || result.Records[0].Values[0] != int64(0) {
		t.Errorf("the graph holds %v of what was refused: %v", result.Records, err)
	}
}

// The guards behind the first one, each alone: the plan and the access mode.
func TestReadQueryIsJudgedByTheServer(t *testing.T) {
	opened, p := open(t), newPerson(t)
	tests := map[string]string{
		"CREATE (n)": "would write", "MATCH (n) DELETE n": "would write", "CALL db.createLabel('x')": "would write",
		"LOAD CSV FROM 'file:///x' AS line RETURN line": "LOAD CSV", "MATCH (n) CALL (n) { LOAD CSV FROM 'file:///x' AS l RETURN l } RETURN l": "LOAD CSV",
	}
	for query, want := range tests {
		if err := opened.PlanOf(t.Context(), query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the plan of %s: %v, want %s", query, err, want)
		}
	}
	session := p.driver.NewSession(t.Context(), neo4j.SessionConfig{AccessMode: neo4j.AccessModeRead})
	defer session.Close(t.Context())
	result, err := session.Run(t.Context(), "CREATE (n:Never)", nil)
	if err == nil {
		_, err = result.Consume(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "read access mode") {
		t.Errorf("a write in a transaction that reads: %v", err)
	}
}

func TestReadQueryIsBounded(t *testing.T) {
	opened := open(t)
	_, err := opened.ReadQuery(t.Context(), "UNWIND range(1, 100) AS x RETURN reduce(s = '', i IN range(1, 20000) | s + 'x') AS text", nil, 100)
	if function.KindOf(err) != function.KindTooLarge {
		t.Errorf("two megabytes give %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err = opened.ReadQuery(ctx, "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y WITH x + y AS z WHERE z < 0 RETURN z", nil, 1); err == nil || time.Since(began) > 10*time.Second {
		t.Errorf("a query without end: %v after %s", err, time.Since(began))
	}
}

// TestQueriesOfWorkflowsHaveAUserOfTheirOwn: with a second user they are sent by it, and
// everything else by the first. Authentication is off on the server of these tests, so the test
// looks at what is sent.
func TestQueriesOfWorkflowsHaveAUserOfTheirOwn(t *testing.T) {
	server := neo4jtest.URI(t)
	p := neo4jtest.NewProxy(t, server.URI)
	p.Record()
	opened := openAt(t, cypher.Options{URI: p.URI(), Database: server.Database, Username: "writer-of-all", Password: "w", ReaderUsername: "only-reads", ReaderPassword: "r"})
	if _, err := opened.ReadQuery(t.Context(), "RETURN 'asked-by-a-step' AS x", nil, 1); err != nil {
		t.Fatal(err)
	}
	if err := opened.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, sent := range p.Recorded() {
		asks, writer, reader := strings.Contains(sent, "asked-by-a-step"), strings.Contains(sent, "writer-of-all"), strings.Contains(sent, "only-reads")
		if asks && (!reader || writer) || reader && strings.Contains(sent, "MATCH") {
			t.Errorf("a query went by the wrong user: %q", sent)
		}
		if asks {
			found++
		}
	}
	if found == 0 {
		t.Error("the query was not seen: this test proves nothing")
	}
	findings, err := opened.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(findings)
	if !strings.Contains(text, "graph.query runs as only-reads") {
		t.Errorf("doctor says nothing of it: %s", text)
	}
}

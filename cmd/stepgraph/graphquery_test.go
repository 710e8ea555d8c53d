package main

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
)

// graphQuery runs a step that reads the graph in which its own session stands.
func graphQuery(t *testing.T, database *neo4jserver.Server) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "looks.cypher"), `CREATE (a:STEP {id: 'root', function: 'graph.query', input: '{"query": "MATCH (s:SESSION {id: @{SESSION_ID}}) RETURN s.workflow AS workflow"}'}),
  (b:STEP {id: 'writes', function: 'graph.query', on_error: 'continue', input: '{"query": "MATCH (s:SESSION) DETACH DELETE s"}'}), (a)-[:NEXT]->(b);`)
	ran := invoke(t, "", nil, "run", file, "--store", database.URI, "--dir", dir, "--id", "looks-1", "-o", "json")
	for place, want := range map[string]string{
		"state.data.outputs.root.0.text":         "looks",
		"state.data.outputs.writes.0.error.kind": "bad_input",
		"session.id":                             "looks-1",
	} {
		if got, err := lookup([]byte(ran.out), place); got != want || err != nil {
			t.Errorf("%s is %s, %v, want %s: %s", place, got, err, want, ran.err)
		}
	}
}

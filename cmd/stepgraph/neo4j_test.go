package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

// TestNeo4j is what needs a Neo4j of its own: an adoption takes over whatever is there.
func TestNeo4j(t *testing.T) {
	database := neo4jtest.Own(t, neo4jserver.Options{HeapMB: 512})
	t.Run("story", func(t *testing.T) { story(t, database) })
	t.Run("graph query", func(t *testing.T) { graphQuery(t, database) })
	t.Run("takeover", func(t *testing.T) { takeover(t, database) })
}

// story plays the README's: a step is edited in the graph between question and answer,
// and the session that waits goes on with the new one.
func story(t *testing.T, database *neo4jserver.Server) {
	dir := filepath.Join(t.TempDir(), "dev")
	serveHere(t, nil, "dev", "--addr", "127.0.0.1:0", "--dir", dir, "--store", database.URI, "-o", "json")
	session := func(args ...string) result {
		t.Helper()
		got := invoke(t, "", nil, append(append([]string{"session"}, args...), "--dir", dir, "-o", "json")...)
		if got.code != 0 {
			t.Fatalf("session %v: exit %d: %s", args, got.code, got.err)
		}
		return got
	}
	session("start", "conversation", "--id", "n1")
	cypherOfReadme(t, database)
	answered := session("answer", "n1", "Tell me about graphs")
	if !strings.Contains(answered.out, "Edited while you waited: A graph keeps") {
		t.Errorf("the edited step did not run: %s", answered.out)
	}
	// What was loaded lies in the graph, and can be exported from it.
	if got := invoke(t, "", nil, "export", "conversation", "--dir", dir); !strings.Contains(got.out, "Edited while you waited") {
		t.Errorf("export: %s%s", got.out, got.err)
	}
	if got := invoke(t, "", nil, "doctor", "--store", database.URI, "--dir", dir); got.code != 0 {
		t.Errorf("doctor: %s%s", got.out, got.err)
	}
}

// cypherOfReadme runs the README's edit, as somebody would in Neo4j Browser.
func cypherOfReadme(t *testing.T, database *neo4jserver.Server) {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	edit := regexp.MustCompile("(?s)```cypher\n(.*?);?\n```").FindStringSubmatch(string(readme))
	if edit == nil {
		t.Fatal("the README shows no Cypher")
	}
	driver, err := database.Driver()
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(t.Context())
	done, err := neo4j.ExecuteQuery(t.Context(), driver, edit[1], nil, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	if n := done.Summary.Counters().PropertiesSet(); n != 1 {
		t.Fatalf("the edit set %d properties, want 1", n)
	}
}

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

// askName is a workflow that asks for a name and greets.
const askName = `CREATE
  (root:STEP {id: 'root', function: 'request', input: '{"prompt": "Name?"}'}),
  (reply:STEP {id: 'reply', function: 'reply', input: '{"message": "Hello, @{SESSION_ID}.root.response!"}'}),
  (root)-[:NEXT]->(reply);`

// A severalServer is a serve on several databases.
type severalServer struct {
	*testing.T
	*running
	dir string
}

// serveDatabases starts it with a configuration.
func serveDatabases(t *testing.T, dir string, databases map[string]databaseConfig) *severalServer {
	t.Helper()
	file := write(t, filepath.Join(dir, "config.json"), map[string]any{"databases": databases})
	s := &severalServer{T: t, dir: dir, running: serveHere(t, nil, "serve", "--config", file, "--addr", "127.0.0.1:0", "--dir", dir, "-o", "json")}
	s.ready(t)
	return s
}

// do runs a command that has to succeed.
func (s *severalServer) do(args ...string) string {
	s.Helper()
	got := s.checkAll(args...)
	if got.code != 0 {
		s.Fatalf("%v: exit %d: %s%s", args, got.code, got.out, got.err)
	}
	return got.out
}

func (s *severalServer) checkAll(args ...string) result {
	s.Helper()
	return invoke(s.T, "", nil, append(args, "--server", s.address, "--dir", s.dir)...)
}

// load loads askName under several names.
func (s *severalServer) load(names ...string) {
	s.Helper()
	for _, name := range names {
		s.do("load", write(s.T, filepath.Join(s.dir, name+".cypher"), askName))
	}
}

// answerAll answers sessions by one batch.
func (s *severalServer) answerAll(ids ...string) {
	s.Helper()
	var lines []string
	for _, id := range ids {
		lines = append(lines, fmt.Sprintf(`{"session": %q, "response": "Ada"}`, id))
	}
	s.do("batch", "answer", "--file", write(s.T, filepath.Join(s.dir, "answers.ndjson"), strings.Join(lines, "\n")+"\n"))
	for _, id := range ids {
		s.status(id, "complete")
	}
}

// status waits until a session has a status.
func (s *severalServer) status(id, want string) {
	s.Helper()
	s.eventually("session "+id+" is "+want, func() bool {
		got := s.checkAll("session", "show", id, "-o", "json")
		status, _ := lookup([]byte(got.out), "status")
		return got.code == 0 && status == want
	})
}

func (s *severalServer) eventually(what string, done func() bool) {
	s.Helper()
	for end := time.Now().Add(2 * patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("waited in vain until %s\n%s", what, s.talk)
		}
	}
}

// metric waits for a line of /metrics.
func (s *severalServer) metric(line string) {
	s.Helper()
	s.eventually("metrics have "+line, func() bool {
		_, text := get(s.T, s.address+"/metrics")
		return strings.Contains(string(text), line+"\n")
	})
}

func twoFiles(dir string, eu ...string) map[string]databaseConfig {
	return map[string]databaseConfig{
		"main": {Store: "sqlite:" + filepath.Join(dir, "main.db"), Default: true},
		"eu":   {Store: "sqlite:" + filepath.Join(dir, "eu.db"), Workflows: eu},
	}
}

// A workflow moves to another database: it is exported and loaded there, the rule changes, new
// sessions start there, old ones go on where they are, and one batch answers all.
func TestMovingAWorkflow(t *testing.T) {
	dir := t.TempDir()
	before := serveDatabases(t, dir, twoFiles(dir))
	before.load("chat")
	before.do("session", "start", "chat", "--id", "old")
	before.end(t)

	config := filepath.Join(dir, "config.json")
	here := func(args ...string) result {
		t.Helper()
		return invoke(t, "", nil, append(args, "--config", config, "--dir", dir)...)
	}
	exported := here("export", "chat", "--store", "main")
	if got := here("load", write(t, filepath.Join(dir, "chat.cypher"), exported.out), "--store", "eu"); got.code != 0 {
		t.Fatalf("load: %s%s", got.out, got.err)
	}
	after := serveDatabases(t, dir, twoFiles(dir, "chat"))
	after.do("session", "start", "chat", "--id", "new")
	if list := after.do("session", "list"); !strings.Contains(list, "old ") || !strings.Contains(list, "new ") {
		t.Errorf("list:\n%s", list)
	}
	if found := after.do("doctor"); !strings.Contains(found, "database main: it has workflow chat, whose home is database eu") {
		t.Errorf("doctor:\n%s", found)
	}
	after.answerAll("old", "new")
	after.metric(`stepgraph_database_up{database="main"} 1`)
	after.metric(`stepgraph_database_calls_total{database="eu",result="failed"} 0`)
	after.end(t)
	for name, want := range map[string]string{"main": "old", "eu": "new"} {
		if list := here("session", "list", "--store", name); !strings.Contains(list.out, want+" ") || strings.Count(list.out, "complete") != 1 {
			t.Errorf("database %s:\n%s%s", name, list.out, list.err)
		}
	}
	if got := here("migrate"); got.code != 0 || !strings.Contains(got.out, "up to date") {
		t.Errorf("migrate: %s%s", got.out, got.err)
	}
}

func TestRefusedDatabases(t *testing.T) {
	one := databaseConfig{Store: "sqlite:a.db", Default: true}
	for want, c := range map[string]map[string]any{
		"give one of them":             {"store": "memory", "databases": map[string]databaseConfig{"a": one}},
		"want one":                     {"databases": map[string]databaseConfig{"a": {Store: "memory"}}},
		"2 have":                       {"databases": map[string]databaseConfig{"a": one, "b": {Store: "memory", Default: true}}},
		"cannot be a name":             {"databases": map[string]databaseConfig{"a:b": one}},
		"a and b are the same":         {"databases": map[string]databaseConfig{"a": one, "b": {Store: "sqlite:a.db"}}},
		`store \"nope\"`:               {"databases": map[string]databaseConfig{"a": {Store: "nope", Default: true}}},
		"or a prefix that ends in *":   {"databases": map[string]databaseConfig{"a": {Store: "memory", Default: true, Workflows: []string{"a*b"}}}},
		`workflow \"w\" has two homes`: {"databases": map[string]databaseConfig{"a": {Store: "memory", Default: true, Workflows: []string{"w"}}, "b": {Store: "memory", Workflows: []string{"w"}}}},
	} {
		want = strings.ReplaceAll(want, `\"`, `"`)
		dir := t.TempDir()
		got := invoke(t, "", nil, "session", "list", "--dir", dir, "--config", write(t, filepath.Join(dir, "config.json"), c))
		if got.code == 0 || !strings.Contains(got.err, want) {
			t.Errorf("exit %d, %q, want %q", got.code, got.err, want)
		}
	}
}

// graph.query is refused: which database it means cannot be said.
func TestQueryOfSeveralDatabases(t *testing.T) {
	dir := t.TempDir()
	s := serveDatabases(t, dir, twoFiles(dir))
	s.do("load", write(t, filepath.Join(dir, "q.cypher"), `CREATE (:STEP {id: 'root', function: 'graph.query', input: '{"query": "MATCH (s:SESSION) RETURN s.id"}'});`))
	s.do("session", "start", "q", "--id", "q1")
	s.status("q1", "error")
	if shown := s.do("session", "why", "q1"); !strings.Contains(shown, "graph.query reads one database, and this server has several") {
		t.Errorf("why:\n%s", shown)
	}
}

// TestTwoNeo4jServers works on two servers, one of which is killed and comes back.
func TestTwoNeo4jServers(t *testing.T) {
	servers := make([]*neo4jserver.Server, 2)
	var both sync.WaitGroup
	for i := range servers {
		both.Go(func() { servers[i] = neo4jtest.Own(t, neo4jserver.Options{HeapMB: 400}) })
	}
	both.Wait()
	s := serveDatabases(t, t.TempDir(), map[string]databaseConfig{
		"main": {Store: servers[0].URI, Default: true}, "eu": {Store: servers[1].URI, Workflows: []string{"eu-*"}}})
	s.load("chat", "eu-chat")
	for i := range 3 {
		s.do("session", "start", "chat", "--id", fmt.Sprint("a", i))
		s.do("session", "start", "eu-chat", "--id", fmt.Sprint("b", i))
	}
	if counts := s.do("count"); !strings.Contains(counts, "6") {
		t.Errorf("counts:\n%s", counts)
	}
	s.answerAll("a0", "b0")

	if err := servers[1].Kill(); err != nil {
		t.Fatal(err)
	}
	s.eventually("readyz names the database that is gone", func() bool {
		code, text := get(t, s.address+"/readyz")
		return code == http.StatusOK && strings.Contains(string(text), `"unavailable":["eu"]`)
	})
	s.metric(`stepgraph_database_up{database="eu"} 0`)
	s.do("session", "answer", "a1", "Ada")
	s.status("a1", "complete")
	s.do("session", "start", "chat", "--id", "a3")
	if code, text := get(t, s.address+"/api/v1/sessions/b1"); code != http.StatusServiceUnavailable || !strings.Contains(string(text), "database eu") {
		t.Errorf("a session of the database that is gone: %d %s", code, text)
	}

	if err := servers[1].Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.status("b0", "complete") // what was acknowledged
	s.status("b1", "awaiting_input")
	s.answerAll("b1", "a2", "b2", "a3")
	s.eventually("readyz names none", func() bool {
		_, text := get(t, s.address+"/readyz")
		return !strings.Contains(string(text), "unavailable")
	})
}

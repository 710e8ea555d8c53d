package engine_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/memory"
	"github.com/stepgraph/stepgraph/shard"
	"github.com/stepgraph/stepgraph/sqlite"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata/scenarios")

func scenarios(t testing.TB) []*scenario {
	t.Helper()
	paths, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var list []*scenario
	for _, path := range paths {
		list = append(list, readScenario(t, path))
	}
	return list
}

// TestScenarios plays every scenario in memory, where a fake clock lets nothing but order
// decide, and compares all it shows with the file.
func TestScenarios(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			var got map[string]string
			synctest.Test(t, func(t *testing.T) {
				got = play(t, s, memory.New(memory.Options{}), true, nil)
			})
			if *update {
				if err := s.write(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, s, got, goldens...)
		})
	}
}

// TestScenariosCrash plays them again with an engine that dies after each event.
func TestScenariosCrash(t *testing.T) {
	for _, s := range scenarios(t) {
		if s.has("tick") || s.has("crash") {
			continue // what they show depends on when things happen
		}
		t.Run(s.name, func(t *testing.T) {
			var got map[string]string
			synctest.Test(t, func(t *testing.T) {
				got = play(t, s, memory.New(memory.Options{}), true, (*world).crash)
			})
			compare(t, s, got, "state.json", "requests")
		})
	}
}

// TestScenariosTwoDatabases plays them on a store of two databases, among which workflows are
// divided by their first letter; child sessions run workflows of the other one.
func TestScenariosTwoDatabases(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			var got map[string]string
			synctest.Test(t, func(t *testing.T) {
				got = play(t, s, twoDatabases(t), true, nil)
			})
			compare(t, s, got, goldens...)
		})
	}
}

func twoDatabases(t *testing.T) engine.Store {
	t.Helper()
	inMemory := func(context.Context) (store.Store, error) { return memory.New(memory.Options{}), nil }
	var other []string
	for c := 'a'; c <= 'z'; c += 2 {
		other = append(other, string(c)+"*")
	}
	s, err := shard.Open(t.Context(), shard.Options{Default: "main", Databases: []shard.Database{
		{Name: "main", Open: inMemory}, {Name: "other", Workflows: other, Open: inMemory}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScenariosSQLite(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			opened, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "scenario.db"), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := opened.Close(); err != nil {
					t.Error(err)
				}
			})
			compare(t, s, play(t, s, opened, false, nil), goldens...)
		})
	}
}

// TestScenariosNeo4j has a server of this package's own and plays one scenario after another: an engine
// claims whatever is due, and must neither take nor lose sessions of other tests.
func TestScenariosNeo4j(t *testing.T) {
	server := serverOfEngines(t)
	opened, err := cypher.Open(t.Context(), cypher.Options{URI: server.URI, Username: server.Username, Password: server.Password, Database: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			compare(t, s, play(t, s, opened, false, nil), goldens...)
		})
	}
	t.Run("injected", func(t *testing.T) { sampleOnServer(t, opened, 30*injectEvery(t, 64)) })
}

// engineServer is a Neo4j for the tests of this package that play on one, one after another.
// It is none that other packages use: an engine claims whatever is due.
var engineServer = sync.OnceValues(func() (*neo4jserver.Server, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil)) // it outlives the test that starts it
	return neo4jserver.Start(context.Background(), neo4jserver.Options{Kind: neo4jserver.Own, Log: log})
})

var engineServerStarted bool

func serverOfEngines(t testing.TB) *neo4jserver.Server {
	t.Helper()
	engineServerStarted = true
	server, err := engineServer()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestMain(m *testing.M) {
	code := m.Run()
	if engineServerStarted {
		if server, err := engineServer(); err == nil {
			if err := server.Stop(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
	}
	os.Exit(code)
}

// play plays a scenario on a store; between, if given, is done after each event.
func play(t *testing.T, s *scenario, opened engine.Store, bubble bool, between func(*world)) map[string]string {
	w := newWorld(t, s, opened, bubble)
	defer func() { w.stop() }()
	if !bubble {
		w.want = seenEvents(s.sections["seen"])
		t.Cleanup(func() { w.cleanUp(t) })
	}
	for n, e := range w.s.events {
		w.event(n, e)
		if between != nil {
			between(w)
			synctest.Wait()
		}
	}
	return w.golden()
}

// seenEvents cuts the section seen into what was seen after each event.
func seenEvents(text string) []string {
	var list []string
	for _, line := range strings.SplitAfter(text, "\n") {
		switch {
		case line == "":
		case strings.HasPrefix(line, "  "):
			list[len(list)-1] += line
		default:
			list = append(list, line)
		}
	}
	return list
}

// cleanUp removes what a play left in a store that others use, too.
func (w *world) cleanUp(t *testing.T) {
	ctx := context.Background()
	for _, name := range w.sessions {
		for done := false; !done; {
			var err error
			if done, err = w.store.DeleteSession(ctx, w.prefix+name); err != nil {
				break // gone already, or it stays behind: nobody looks at it
			}
		}
	}
	if _, err := w.store.EditWorkflow(ctx, store.Edit{Workflow: w.prefix + "W", Delete: true}); err != nil {
		t.Logf("workflow %sW stays behind: %v", w.prefix, err)
	}
}

func compare(t *testing.T, s *scenario, got map[string]string, sections ...string) {
	t.Helper()
	for _, name := range sections {
		want := s.sections[name]
		if got[name] == want {
			continue
		}
		t.Errorf("%s: section %s differs\n%s", s.path, name, difference(want, got[name]))
	}
}

// difference shows the lines that only one of two texts has, in their order.
func difference(want, got string) string {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	a, b = a[start:], b[start:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return "want: " + strings.Join(a, "      ") + "got:  " + strings.Join(slices.Clone(b), "      ")
}

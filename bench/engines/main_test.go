package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

func TestMain(m *testing.M) { neo4jtest.Main(m) }

// measure runs rows at small sizes and returns the lines of the table.
func measure(t *testing.T, uri string, args ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "stepgraph")
	if text, err := exec.Command("go", "build", "-o", binary, "github.com/stepgraph/stepgraph/cmd/stepgraph").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var out, progress strings.Builder
	args = append([]string{"-stepgraph", binary, "-neo4j", uri, "-lasting", "2s", "-warm", "0s", "-clients", "2", "-slow-clients", "2", "-crowd", "20", "-flood", "10",
		"-watched", "3", "-killed", "3", "-lease", "2s", "-short-lease", "1s"}, args...)
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	return out.String()
}

func expect(t *testing.T, table string, lines int, parts ...string) {
	t.Helper()
	if got := strings.Count(table, "\n") - 2; got != lines {
		t.Errorf("%d lines, want %d", got, lines)
	}
	for _, part := range parts {
		if !strings.Contains(table, part) {
			t.Errorf("no %q", part)
		}
	}
	if t.Failed() {
		t.Log(table)
	}
}

// TestOneEngine: without Neo4j the rows that need one engine are there.
func TestOneEngine(t *testing.T) {
	table := measure(t, "")
	expect(t, table, 9, "| SQLite, beside 20 sessions in calls of 5 s |", "| workflow that floods |", " in the store, ", " sessions/s removed; sessions in the store ", " MB, then ")
}

// TestTwoEngines: the rows with two engines, on Neo4j.
func TestTwoEngines(t *testing.T) {
	server := neo4jtest.URI(t)
	for _, set := range server.Environ() {
		name, value, _ := strings.Cut(set, "=")
		t.Setenv(name, value)
	}
	table := measure(t, server.URI, "-rows", "speed,events,takeover,rolling")
	expect(t, table, 13, "| one engine |", "| two engines |", "by: step active | NATS |", "by: end | no NATS |", "| 3 of 3 came |", "| lease 2s |", "| lease 1s |", "first call ", "| lost 0 of ")
}

func TestUnknownRow(t *testing.T) {
	var out strings.Builder
	err := run(t.Context(), []string{"-rows", "speed,nonsense"}, &out, &out)
	if err == nil || !strings.Contains(err.Error(), `no row "nonsense"`) {
		t.Errorf("got %v", err)
	}
}

func TestQuantile(t *testing.T) {
	list := []float64{5, 1, 4, 2, 3}
	if got := [...]float64{quantile(list, 0.5), quantile(list, 0.99), quantile(list[:1], 0.5)}; got != [...]float64{3, 5, 5} {
		t.Errorf("got %v", got)
	}
}

package faultlane

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/cypher/neo4jserver"
	"github.com/stepgraph/stepgraph/engine"
)

// newerMigration is a migration that only the newer program has. Engines that know the newest one of
// this tree work beside it.
const newerMigration = "// 099_later.cypher: an index of a later version.\n// oldest engine: %s\nCREATE INDEX session_later IF NOT EXISTS FOR (s:SESSION) ON (s.later);\n"

// newerProgram builds the program with one migration more than this tree has: go build takes the
// file from an overlay, so the tree stays as it is.
func newerProgram(t *testing.T) string {
	t.Helper()
	if _, err := binary(); err != nil { // it makes the folder
		t.Fatal(err)
	}
	folder, err := filepath.Abs("../cypher/migrations")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.cypher"))
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations", err)
	}
	newest, _, _ := strings.Cut(filepath.Base(files[len(files)-1]), "_")
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	migration := write("later.cypher", strings.Replace(newerMigration, "%s", newest, 1))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(folder, "099_later.cypher"): migration}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := build("stepgraph-newer", "-overlay", write("overlay.json", string(overlay)))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// versions upgrades one of two engines: the older one lacks a function and a migration, and goes on.
// Both are killed and stopped while clients start and answer sessions at either.
func versions(t *testing.T, server *neo4jserver.Server) {
	s := newStage(t, firstSeed(t))
	newer, older := s.fleet.add(server.URI, nil), s.fleet.add(server.URI, nil)
	newer.program = newerProgram(t)
	url := s.ledger.server.URL
	older.config = s.fleet.configure("older", map[string]any{"functions": map[string]string{"side.charge": url, "side.left": url}}) // not side.book
	for _, e := range []*process{older, newer} {
		if err := s.fleet.start(e); err != nil {
			t.Fatal(err)
		}
		if err := s.fleet.ready(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	putWorkflow(t, newWire(only{newer}, s.to, s.rng))
	n := &nemesis{rng: s.rng, pulse: s.pulse, fleet: s.fleet, did: map[string]int{}}
	played := plan{faultKill: 2, faultTerm: 2}
	if wanted(t) > 0 {
		played = plan{faultKill: 10, faultTerm: 6, faultFreeze: 2}
	}
	s.work(t.Context(), 6, func(ctx context.Context) error { return n.run(ctx, played) })
	if err := s.fleet.ready(t.Context(), older); err != nil {
		t.Error(err)
	}
	if got := schemaWarnings(t, older); len(got) != 1 || !strings.HasPrefix(got[0], "warning: ") || !strings.Contains(got[0], "099_later") {
		t.Errorf("the older engine's doctor says of the schema %q", got)
	}
	if got := schemaWarnings(t, newer); len(got) > 0 {
		t.Errorf("the newer engine's doctor says of the schema %q", got)
	}
	o := s.quiet(t.Context(), func(ctx context.Context) (engine.Store, error) { return openServer(ctx, server) })
	for _, v := range o.judge(t.Context()) {
		t.Error(v)
	}
	if len(s.to.sessions) == 0 || o.calls == 0 {
		t.Errorf("%d sessions, %d calls: the round shows nothing", len(s.to.sessions), o.calls)
	}
}

// schemaWarnings are what an engine's doctor says of migrations.
func schemaWarnings(t *testing.T, e *process) []string {
	t.Helper()
	response, err := http.Get(e.address + "/api/v1/doctor")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var said struct{ Findings []engine.Finding }
	if err := json.NewDecoder(response.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range said.Findings {
		if f.Code == "migration" {
			texts = append(texts, f.Level+": "+f.Message)
		}
	}
	return texts
}

package formats_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/sqlite"
)

// TestFixturesGoBackFromAStore: what was loaded from another system's file and lay in a
// database is written as that file again, whatever a database made of numbers and lists.
func TestFixturesGoBackFromAStore(t *testing.T) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "flows.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := engine.New(store, engine.NewRegistry(), engine.Options{})
	for _, format := range formats.All() {
		if slices.Contains([]string{"stepgraph", "yaml", "cypher"}, format.Name()) {
			continue
		}
		written := 0
		for _, file := range fixtureFiles(t, format.Name()) {
			text := fixtures.Text(t, file)
			if !format.Recognise(filepath.Base(file), text) {
				continue
			}
			l, err := formats.Load(filepath.Base(file), text)
			if err != nil {
				continue // a case that has to be refused
			}
			for i := range l.Workflows {
				written++
				goesBack(t, e, &l.Workflows[i], format.Name())
			}
		}
		checkSome(t, format.Name(), written)
	}
}

func goesBack(t *testing.T, e *engine.Engine, w *engine.Workflow, format string) {
	t.Helper()
	direct, err := formats.Export(w, formats.SourceFormat)
	if err != nil || direct.Format != format {
		t.Errorf("%s: as %q: %v", w.ID, direct.Format, err)
		return
	}
	if _, err := e.Put(t.Context(), w, engine.PutOptions{Force: true}); err != nil {
		t.Errorf("%s: %v", w.ID, err)
		return
	}
	stored, err := e.Workflow(t.Context(), w.ID)
	if err != nil {
		t.Errorf("%s: %v", w.ID, err)
		return
	}
	file, err := formats.Export(stored, formats.SourceFormat)
	if err != nil || string(file.Text) != string(direct.Text) {
		t.Errorf("%s is written otherwise from a store: %v", w.ID, err)
	}
}

package nebulaflow_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/shell"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// TestCompiledFlowsAreValid: the engine finds no error in what is compiled, and warns of
// nothing but nodes that take no part.
func TestCompiledFlowsAreValid(t *testing.T) {
	folder := fixtures.Folder(t, "nebulaflow")
	files, _ := filepath.Glob(filepath.Join(folder, "*.workflow.json"))
	subflows, _ := filepath.Glob(filepath.Join(folder, "subflows", "*.json"))
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{Models: enginetest.Models{}, Shell: shell.Options{Allow: true}})
	if len(files) == 0 {
		t.Fatal("no flows")
	}
	for _, file := range append(files, subflows...) {
		w := parse(t, file, fixtures.Text(t, file))
		for _, p := range engine.Validate(w, registry) {
			t.Errorf("%s: %+v", filepath.Base(file), p)
		}
	}
}

package agentzero_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/compat"
	"github.com/stepgraph/stepgraph/compat/agentzero"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/enginetest"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A flow that is taken gives validate nothing to complain of.
func TestFlowsValidate(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "agentzero"), "*.flow.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no flows: %v", err)
	}
	registry := engine.NewRegistry()
	functions.Standard(registry, functions.Options{Models: enginetest.Models{}})
	compat.Functions(registry, functions.Options{Models: enginetest.Models{}})
	for _, file := range files {
		f, err := agentzero.Parse(file, fixtures.Text(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range engine.Validate(&f.Workflows[0], registry) {
			if p.Code != "profile" { // agents of a profile that this test does not configure
				t.Errorf("%s: %+v", filepath.Base(file), p)
			}
		}
	}
}

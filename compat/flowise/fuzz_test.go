package flowise_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/compat/flowise"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// FuzzParse looks for documents that make the compiler panic, or that it makes a workflow of
// that it cannot write back.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	templates, _ := filepath.Glob(filepath.Join(fixtures.Folder(f, "flowise"), "templates", "*.json"))
	for _, path := range templates {
		f.Add(fixtures.Text(f, path))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		flowise.Recognise("f.json", document)
		file, err := flowise.Parse("f.json", document)
		if err != nil {
			return
		}
		w := &file.Workflows[0]
		if w.Step(engine.DefaultEntry) == nil {
			t.Error("no session could start")
		}
		if _, _, err := flowise.Export(w); err != nil {
			t.Errorf("not written back: %v", err)
		}
	})
}

package nebulaflow_test

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/compat/nebulaflow"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// FuzzParse: whatever a file holds is refused or compiled to a graph the engine can read, and
// written back.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(fixtures.Folder(f, "nebulaflow"), "*.workflow.json"))
	for _, file := range files {
		f.Add(fixtures.Text(f, file))
	}
	f.Add(sketch("L loop-start", "M loop-start", "Z loop-end", "Y loop-end", "L -> M:main", "M -> Z", "Z -> Y", "a text-format ${1}", "a -> Z"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := nebulaflow.Parse("f.json", src)
		if err != nil {
			return
		}
		w := &file.Workflows[0]
		w.Normalize()
		for _, p := range engine.Validate(w, nil) {
			if p.Code == "two_containers" || p.Code == "malformed_reference" || p.Code == "body_without_start" {
				t.Errorf("%+v\n%s", p, src)
			}
		}
		if _, _, err := nebulaflow.Export(w); err != nil {
			t.Errorf("export: %v\n%s", err, src)
		}
	})
}

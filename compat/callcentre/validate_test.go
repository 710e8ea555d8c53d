package callcentre_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/compat/callcentre"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// A graph that is taken gives validate nothing to complain of but what the graph is at fault
// for: sources that can only fail, tools nobody calls, ids that references cannot name.
func TestGraphsValidate(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(fixtures.Folder(t, "callcentre"), "*.graph.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no graphs: %v", err)
	}
	own := map[string]bool{"not_referable": true, "unreachable": true, "mock_output": true, "type": true,
		"literal_credential": true} // the recorded graph has a token in it
	for _, file := range files {
		text := strings.ReplaceAll(string(fixtures.Text(t, file)), "{{STUB}}", "http://127.0.0.1:1")
		f, err := callcentre.Parse(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range engine.Validate(&f.Workflows[0], registry(nil, nil)) {
			if p.Level != "warning" || !own[p.Code] {
				t.Errorf("%s: %+v", filepath.Base(file), p)
			}
		}
	}
}

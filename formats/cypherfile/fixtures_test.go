package cypherfile

import (
	"os"
	"path/filepath"
	"testing"
)

// fixtures gives LUNA's workflow files. They are not part of this repository.
func fixtures(t *testing.T) []string {
	t.Helper()
	shared := os.Getenv("STEPGRAPH_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	folder := filepath.Join(shared, "fixtures", "luna", "workflows")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no folder %s with LUNA's workflow files; set STEPGRAPH_SHARED", folder)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.cypher"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .cypher files in %s: %v", folder, err)
	}
	return files
}

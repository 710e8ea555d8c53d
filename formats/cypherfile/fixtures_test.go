package cypherfile

import (
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
)

// recorded gives LUNA's workflow files. They are not part of this repository.
func recorded(t *testing.T) []string {
	t.Helper()
	folder := fixtures.Folder(t, "luna/workflows")
	files, err := filepath.Glob(filepath.Join(folder, "*.cypher"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .cypher files in %s: %v", folder, err)
	}
	return files
}

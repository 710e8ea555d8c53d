package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each statement compiles on a migrated file, says what it does, and is used.
func TestQueries(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	code := source(t)
	for name := range queries {
		compiled, err := s.writer.conn.PrepareContext(t.Context(), query(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := compiled.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		full, err := files.ReadFile("sql/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(full), "-- ") {
			t.Errorf("%s does not begin with a comment", name)
		}
		paged := strings.TrimSuffix(strings.TrimSuffix(name, "_page_oldest"), "_page_newest")
		if !strings.Contains(code, `"`+name+`"`) && (paged == name || !strings.Contains(code, `"`+paged+`"`)) {
			t.Errorf("%s is not used", name)
		}
	}
}

// source is the Go text of the package without its tests.
func source(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

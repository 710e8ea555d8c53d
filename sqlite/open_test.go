package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// open opens and migrates a file until the test ends.
func open(t *testing.T, file string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), file, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sqlite.CheckKept(s); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOpenTellsWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("these are notes, not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"no name":         {"", "want the name of a file"},
		"memory":          {":memory:", "want the name of a file"},
		"a directory":     {dir, "is a directory"},
		"not a database":  {text, "is not a SQLite database"},
		"below a file":    {filepath.Join(text, "x.db"), "not a directory"},
		"not a directory": {filepath.Join(text, "y", "x.db"), "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := sqlite.Open(t.Context(), c.file, sqlite.Options{})
			if err == nil {
				s.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: want it to say %q", err, c.want)
			}
		})
	}
}

func TestOpenTakesOddNames(t *testing.T) {
	for _, name := range []string{"with space.db", "50%.db", "what?.db", "a#b.db", "ü&ß.db", "a=b;c.db"} {
		dir := t.TempDir()
		s := open(t, filepath.Join(dir, "below", name), sqlite.Options{})
		created(t, s, "one", nil)
		info, err := os.Stat(filepath.Join(dir, "below", name))
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if info.Size() == 0 {
			t.Errorf("%q is empty: the tables are in another file", name)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%q can be read by others: %v", name, info.Mode())
		}
	}
}

func TestUseAfterClose(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("a closed store answers")
	}
	if _, err := s.Migrate(t.Context()); err == nil {
		t.Error("a closed store migrates")
	}
}

// created creates one session, leased when claim is set.
func created(t *testing.T, s store.Store, id string, claim *store.Lease) store.SessionRecord {
	t.Helper()
	all, err := s.Create(t.Context(), []store.NewSession{{ID: id, Workflow: "w", State: []byte(`{}`), Status: store.StatusActive, Claim: claim}})
	if err = errors.Join(err, all[0].Err); err != nil {
		t.Fatal(err)
	}
	return all[0].Session
}

// TestOpenMigrates: a store can be used at once, unless its opener says otherwise; then the
// error says what to call.
func TestOpenMigrates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	bare, err := sqlite.Open(t.Context(), file, sqlite.Options{Migrate: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	if _, err := bare.WorkflowIDs(t.Context()); err == nil || !strings.Contains(err.Error(), "the database has no migration, this version needs ") {
		t.Errorf("without tables: %v", err)
	}
	if _, err := open(t, file, sqlite.Options{}).WorkflowIDs(t.Context()); err != nil {
		t.Error(err)
	}
}

package sqlite

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stepgraph/stepgraph/engine"
)

// until returns the migrations up to and with a name, as an older version had them.
func until(t *testing.T, last string) fstest.MapFS {
	t.Helper()
	old := fstest.MapFS{}
	paths, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if migrationName(path) > last {
			continue
		}
		b, err := migrations.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old[path] = &fstest.MapFile{Data: b}
	}
	return old
}

func openBare(t *testing.T, file string) *Store {
	t.Helper()
	s, err := Open(t.Context(), file, Options{Migrate: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// everyMigration is the names of all migrations, in order.
func everyMigration(t *testing.T) []string {
	t.Helper()
	paths, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = migrationName(path)
	}
	return paths
}

func TestMigrateFromAnOlderVersion(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	first, err := s.migrate(t.Context(), until(t, "0001_graph"))
	if err != nil || !slices.Equal(first, []string{"0001_graph"}) {
		t.Fatalf("older version applied %v, %v", first, err)
	}
	edit := engine.Edit{Workflow: "w", PutSteps: []engine.Step{{ID: "root", Function: "reply"}}}
	if _, err := s.EditWorkflow(t.Context(), edit); err != nil {
		t.Fatal(err)
	}
	applied, err := s.Migrate(t.Context())
	if err != nil || !slices.Equal(applied, everyMigration(t)[1:]) {
		t.Fatalf("this version applied %v, %v", applied, err)
	}
	kept, err := s.Workflows(t.Context(), []string{"w"}, nil)
	if err != nil || len(kept) != 1 || kept[0].Step("root") == nil {
		t.Errorf("kept %v, %v", kept, err)
	}
	if again, err := s.Migrate(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("once more: applied %v, %v", again, err)
	}
}

func TestMigrateRefusesANewerFile(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	newer := until(t, "9999")
	newer["migrations/0099_later.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE later (id TEXT)")}
	if _, err := s.migrate(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	_, err := s.Migrate(t.Context())
	if err == nil || !strings.Contains(err.Error(), "0099_later") {
		t.Errorf("got %v, want an error that names 0099_later", err)
	}
}

// A migration that fails leaves nothing of itself, nor of those before it in the call.
func TestMigrateIsWholeOrNothing(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	broken := until(t, "0001_graph")
	broken["migrations/0002_broken.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (id TEXT);\nCREATE NONSENSE")}
	if _, err := s.migrate(t.Context(), broken); err == nil || !strings.Contains(err.Error(), "0002_broken") {
		t.Fatalf("got %v, want an error that names 0002_broken", err)
	}
	applied, err := s.Migrate(t.Context())
	if err != nil || !slices.Equal(applied, everyMigration(t)) {
		t.Errorf("afterwards applied %v, %v", applied, err)
	}
}

// Several stores migrate one new file at once: each migration is applied by one of them.
func TestMigrateAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var all []string
	for range 4 {
		s := openBare(t, file)
		wg.Go(func() {
			applied, err := s.Migrate(context.Background())
			mu.Lock()
			defer mu.Unlock()
			all = append(all, applied...)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(all)
	if want := everyMigration(t); !slices.Equal(all, want) {
		t.Errorf("applied %v, want %v", all, want)
	}
}

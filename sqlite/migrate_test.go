package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
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
	edit := store.Edit{Workflow: "w", PutSteps: []graph.Step{{ID: "root", Function: "reply"}}}
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

// A file that is one migration behind or ahead is not written to, unless the newer migration says
// that this version works beside it. The message has both numbers.
func TestSchemaOneMigrationApart(t *testing.T) {
	all := everyMigration(t)
	last, before := all[len(all)-1], all[len(all)-2]
	n := migrationNumber(last)
	later := func(header string) fstest.MapFS {
		files := until(t, "9999")
		files["migrations/0099_later.sql"] = &fstest.MapFile{Data: []byte(header + "\nCREATE TABLE later (id TEXT)")}
		return files
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string // of each write; "" for none
		finds string // a finding of doctor
	}{
		"current":           {until(t, last), "", ""},
		"behind":            {until(t, before), fmt.Sprintf("the database has migration %d, this version needs %d (%s): run stepgraph migrate", n-1, n, last), "error"},
		"ahead":             {later("-- another column"), fmt.Sprintf("the database has migration 99 (0099_later) and is newer than this version, which knows migrations up to %d", n), "error"},
		"ahead, compatible": {later(fmt.Sprintf("-- oldest engine: %d", n)), "", "warning"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.db")
			if _, err := openBare(t, file).migrate(t.Context(), c.files); err != nil {
				t.Fatal(err)
			}
			s := openBare(t, file)
			_, writes := s.EditWorkflow(t.Context(), store.Edit{Workflow: "w", PutSteps: []graph.Step{{ID: "root", Function: "reply"}}})
			for what, err := range map[string]error{"write": writes, "ping": s.Ping(t.Context())} {
				if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, store.ErrSchema) || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: %v, want %q", what, err, c.want)
				}
			}
			found, err := s.Check(t.Context())
			if err != nil || (len(found) > 0) != (c.finds != "") || len(found) > 0 && (found[0].Level != c.finds || found[0].Code != "migration" || found[0].Mend == "") {
				t.Errorf("doctor finds %+v, %v; want %q", found, err, c.finds)
			}
			_, err = s.Migrate(t.Context())
			if newer := name == "ahead"; newer != errors.Is(err, store.ErrSchema) || !newer && err != nil {
				t.Errorf("migrate: %v", err)
			} else if !newer && s.Ping(t.Context()) != nil {
				t.Errorf("after migrate: %v", s.Ping(t.Context()))
			}
		})
	}
}

// Migrations up to this one were made before engines of two versions could work on one store.
const lastUndeclared = 10

// A new migration says which engines work beside it.
func TestMigrationsDeclareTheOldestEngine(t *testing.T) {
	known, err := knownMigrations(migrations)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range known {
		if m.Number > lastUndeclared && m.Oldest == 0 {
			t.Errorf("%s has no line \"-- oldest engine: N\" (docs/adr/0042): N is the newest migration that engines beside it must know, or its own number", m.Name)
		}
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

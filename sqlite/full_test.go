package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

// TestFullDisk: a full disk is named, Ping reports it until there is room again, and the
// same call succeeds then. SQLite's bound on pages makes the same error as a full disk.
func TestFullDisk(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages := func(pragma string) {
		if _, err := s.writer.conn.ExecContext(t.Context(), pragma); err != nil {
			t.Fatal(err)
		}
	}
	pages("PRAGMA max_page_count = 1") // no fewer than there are
	large := []store.NewSession{{ID: "a", Workflow: "w", Status: store.StatusActive, State: make([]byte, 1<<20), Counters: []byte(`{}`)}}
	_, err := s.Create(t.Context(), large)
	if !errors.Is(err, store.ErrDiskFull) || !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error %v, want one that says that the store is full, for now", err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrDiskFull) {
		t.Errorf("ping of a full store: %v", err)
	}
	pages("PRAGMA max_page_count = 1000000")
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping once there is room: %v", err)
	}
	if _, err := s.Create(t.Context(), large); err != nil {
		t.Errorf("create once there is room: %v", err)
	}
}

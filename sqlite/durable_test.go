package sqlite_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// A process is killed in the middle of its commits. What it was told is written must be
// there, whole; the one commit that was under way may be there, whole too.
func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	for round := range 5 {
		file := filepath.Join(t.TempDir(), "x.db")
		c := startChild(t, "commit", file)
		said := ""
		for range 20 + 37*round {
			said = c.line(t)
		}
		if rest := c.kill(t); len(rest) > 0 {
			said = rest[len(rest)-1]
		}
		acknowledged, err := strconv.ParseInt(said, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		checkAfterKill(t, open(t, file, sqlite.Options{}), acknowledged)
	}
}

func checkAfterKill(t *testing.T, s *sqlite.Store, acknowledged int64) {
	t.Helper()
	rec, err := s.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if rec.Version != acknowledged && rec.Version != acknowledged+1 {
		t.Fatalf("version %d, acknowledged %d", rec.Version, acknowledged)
	}
	if want := fmt.Sprintf(`{"n":%d}`, rec.Version); string(rec.State) != want {
		t.Errorf("state %s, want %s", rec.State, want)
	}
	executions, err := s.Executions(t.Context(), "s", store.HistoryQuery{Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := s.Messages(t.Context(), "s", store.HistoryQuery{Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(executions)) != rec.Version || int64(len(messages)) != rec.Version {
		t.Errorf("version %d with %d executions and %d messages", rec.Version, len(executions), len(messages))
	}
	// Sending the last row again is settled, not repeated.
	results, err := s.Commit(t.Context(), []store.Checkpoint{versionedCheckpoint(rec.Version - 1)})
	if err != nil || results[0].Outcome != store.Again {
		t.Errorf("sent again: %v, %v", results, err)
	}
}

// Several processes write to one session of one file: every request has its own number.
func TestProcessesShareAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	s := open(t, file, sqlite.Options{})
	created(t, s, "shared", nil)
	children := []*child{startChild(t, "count", file), startChild(t, "count", file), startChild(t, "count", file)}
	for _, c := range children {
		if line := c.line(t); line != "done" {
			t.Fatalf("child says %q", line)
		}
	}
	rec, err := s.Session(t.Context(), "shared")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.AllRequests(t.Context(), "shared", store.HistoryQuery{Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	want := int64(len(children) * childRequests)
	if rec.Inbox != want || int64(len(all)) != want {
		t.Errorf("inbox %d, %d requests; want %d", rec.Inbox, len(all), want)
	}
	for i, r := range all {
		if r.N != int64(i+1) {
			t.Fatalf("request %d has number %d", i+1, r.N)
		}
	}
}

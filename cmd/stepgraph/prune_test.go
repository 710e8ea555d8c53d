package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/engine/retention"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/sqlite"
)

// pruneWorld is an embedded store with n complete sessions.
func pruneWorld(t *testing.T, n int) (dir, store string) {
	t.Helper()
	dir = t.TempDir()
	store = "sqlite:" + filepath.Join(dir, "x.db")
	file := filepath.Join(dir, "w.json")
	text := `{"format":"stepgraph","version":1,"id":"w","steps":[{"id":"root","function":"reply","input":{"message":"hello"}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := invoke(t, "", nil, "load", file, "--store", store, "--dir", dir); got.code != 0 {
		t.Fatal(got.err)
	}
	for i := range n {
		if got := invoke(t, "", nil, "session", "start", "w", "--id", fmt.Sprint("s", i), "--store", store, "--dir", dir); got.code != 0 {
			t.Fatal(got.err)
		}
	}
	return dir, store
}

func TestPrune(t *testing.T) {
	dir, store := pruneWorld(t, 3)
	archive := filepath.Join(dir, "old")
	run := func(want int, args ...string) result {
		t.Helper()
		got := invoke(t, "", nil, append(args, "--store", store, "--dir", dir)...)
		if got.code != want {
			t.Fatalf("%s: code %d, %s", strings.Join(args, " "), got.code, got.err)
		}
		return got
	}
	for _, wrong := range [][]string{{"prune"}, {"prune", "--older-than", "3"}, {"prune", "--status", "complete"}, {"prune", "--keep", "pending=3d"},
		{"prune", "--older-than", "1d", "--keep", "complete=1d"}, {"prune", "--older-than", "1d", "--status", "active"}} {
		run(2, wrong...)
	}
	if got := run(0, "prune", "--older-than", "1h", "--dry-run"); !strings.Contains(got.out, "0 sessions would") {
		t.Errorf("young ones: %s", got.out)
	}
	if got := run(0, "prune", "--older-than", "0s", "--dry-run"); !strings.Contains(got.out, "3 sessions would") {
		t.Errorf("dry run: %s", got.out)
	}
	var total struct{ Removed, Archived int }
	got := run(0, "prune", "--older-than", "0s", "--archive", archive, "-o", "json")
	if err := json.Unmarshal([]byte(got.out), &total); err != nil || total.Removed != 3 || total.Archived != 3 {
		t.Errorf("%v: %s", err, got.out)
	}
	run(3, "session", "show", "s1")
	if got := run(0, "session", "show", "s1", "--archive", archive); !strings.Contains(got.out, "hello") || !strings.Contains(got.out, "complete") {
		t.Errorf("archived: %s", got.out)
	}
	if got := run(0, "session", "show", "s1", "--archive", archive, "--state"); !json.Valid([]byte(got.out)) {
		t.Errorf("state: %s", got.out)
	}
	run(3, "session", "show", "never", "--archive", archive)
}

// TestPruneKilled kills prune -9 again and again while it archives and removes. In the end no
// session is left, and each is in the files once.
func TestPruneKilled(t *testing.T) {
	const sessions = 200
	dir, store := pruneWorld(t, 0)
	archive := filepath.Join(dir, "old")
	fillEnded(t, store, sessions)
	binary := filepath.Join(dir, "stepgraph")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	killed := 0
	for checkAll := range 40 {
		c := exec.Command(binary, "prune", "--older-than", "0s", "--archive", archive, "--rate", "200", "--store", store, "--dir", dir)
		err := c.Start()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case err = <-ended:
		case <-time.After(time.Duration(60+checkAll*45) * time.Millisecond):
			_ = c.Process.Kill()
			if err = <-ended; err != nil {
				killed++
			}
		}
		if err == nil {
			break
		}
		clearDuty(t, store)
	}
	if killed == 0 {
		t.Error("never killed while it was at work")
	}
	got := invoke(t, "", nil, "session", "list", "-o", "json", "--store", store, "--dir", dir)
	var page struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(got.out), &page); err != nil || len(page.Items) != 0 {
		t.Errorf("%d sessions are left, %v", len(page.Items), err)
	}
	files, _ := filepath.Glob(filepath.Join(archive, "*.ndjson"))
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for i := range sessions {
		if n := strings.Count(all.String(), fmt.Sprintf(`{"end":"s%d"}`, i)); n != 1 {
			t.Errorf("s%d is %d times in %d files", i, n, len(files))
		}
	}
	t.Logf("%d kills, %d files", killed, len(files))
}

// openEnded opens an embedded store under a clock of a minute from now.
func openEnded(t *testing.T, store string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), strings.TrimPrefix(store, "sqlite:"), sqlite.Options{Now: func() time.Time { return time.Now().Add(time.Minute) }})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clearDuty ends the duty of a process that was killed, for which others would wait half a minute.
func clearDuty(t *testing.T, store string) {
	t.Helper()
	s := openEnded(t, store)
	defer s.Close()
	if _, err := s.TakeDuty(t.Context(), retention.Duty, "test", -2*time.Minute); err != nil {
		t.Fatal(err)
	}
}

// fillEnded writes complete sessions s0, s1, … of an hour ago.
func fillEnded(t *testing.T, address string, n int) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), strings.TrimPrefix(address, "sqlite:"), sqlite.Options{Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var fresh []store.NewSession
	var ends []store.Checkpoint
	for i := range n {
		id := fmt.Sprint("s", i)
		fresh = append(fresh, store.NewSession{ID: id, Workflow: "w", Root: id, Status: engine.StatusActive, State: []byte("{}"),
			Claim: &store.Lease{Token: id, Owner: "w", For: time.Minute}})
		c := store.Checkpoint{Session: id, Lease: id, Transition: id, Status: engine.StatusComplete, Release: true, State: []byte("{}")}
		for seq := range 50 {
			c.Executions = append(c.Executions, engine.Execution{ID: fmt.Sprint(id, "/", seq+1), Session: id, Seq: int64(seq + 1), Workflow: "w", Step: "root", Visit: 1, Status: "complete"})
		}
		ends = append(ends, c)
	}
	made, err := s.Create(t.Context(), fresh)
	if err != nil || made[0].Err != nil {
		t.Fatal(err, made)
	}
	if done, err := s.Commit(t.Context(), ends); err != nil || done[n-1].Outcome != store.Committed {
		t.Fatal(err, done)
	}
}

package sqlite

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

// A file of the version before keeps its lineage, and lineage written since leads to executions from
// before.
func TestLineageOfTheVersionBefore(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.migrate(t.Context(), until(t, "0011_workflow_versions")); err != nil {
		t.Fatal(err)
	}
	exec := func(text string) {
		t.Helper()
		if _, err := s.writer.conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO session (id, workflow, status, version, created_at, updated_at, root, lease, lease_until, counters, state)
		VALUES ('a', 'w', 'active', 1, 1, 1, 'a', 'mine', 9000000000000000, '{}', '{}')`)
	exec(`INSERT INTO execution (session, seq, workflow, step, visit, attempt, status)
		VALUES ('a', 1, 'w', 'ask', 1, 1, 'complete'), ('a', 2, 'w', 'think', 1, 1, 'complete')`)
	exec(`INSERT INTO lineage (session, seq, kind, other, label) VALUES ('a', 2, 'READ', 1, '@{SESSION_ID}.ask'), ('a', 2, 'TOOK', 1, 'ask>think')`)
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	third := store.Execution{Session: "a", Seq: 3, Workflow: "w", Step: "say", Visit: 1, Attempt: 1, Status: store.StatusComplete,
		Reads: []store.Lineage{{Execution: "a/1", Label: `@{SESSION_ID}.ask["x"]`}, {Execution: "a/1", Label: `@{SESSION_ID}.ask["x"]`}, {Execution: "a/9", Label: "not there"}},
		Took:  []store.Lineage{{Execution: "a/2", Label: "think>say"}, {Execution: "b/2", Label: "of another session"}}}
	results, err := s.Commit(t.Context(), []store.Checkpoint{{Session: "a", Version: 1, Lease: "mine", Transition: "t", Status: store.StatusActive,
		Release: true, Records: store.Records{Executions: []store.Execution{third}}}})
	if err != nil || results[0].Outcome != store.Committed {
		t.Fatal(results, err)
	}
	found, err := s.Executions(t.Context(), "a", store.HistoryQuery{Lineage: true})
	if err != nil || len(found) != 3 {
		t.Fatalf("got %d executions, %v", len(found), err)
	}
	type lineage struct{ Reads, Took []store.Lineage }
	want := []lineage{{},
		{[]store.Lineage{{Execution: "a/1", Label: "@{SESSION_ID}.ask"}}, []store.Lineage{{Execution: "a/1", Label: "ask>think"}}},
		{third.Reads[:1], third.Took[:1]}}
	for i, e := range found {
		if got := (lineage{e.Reads, e.Took}); !reflect.DeepEqual(got, want[i]) {
			t.Errorf("execution %d: got %+v, want %+v", i+1, got, want[i])
		}
	}
	if done, err := s.DeleteSession(t.Context(), "a"); !done || err != nil {
		t.Fatal(done, err)
	}
	left := 0
	if err := s.reader.db.QueryRowContext(t.Context(), "SELECT count(*) FROM lineage_before").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows of lineage are left, %v", left, err)
	}
}

// What an execution has used, and what has used it, are both read from the rows of its session.
func TestLineageUsesIndexes(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for text, args := range map[string][]any{
		query("lineage"): {"a", 1, 9},
		"SELECT seq FROM lineage WHERE session = ? AND other = ? AND kind = 'READ'": {"a", 1},
	} {
		plan := planOf(t, s, text, args)
		if strings.Contains(plan, "SCAN e") || strings.Contains(plan, "SCAN o") || strings.Contains(plan, "SCAN lineage_before") {
			t.Errorf("%s\nreads more than the rows of the session:\n%s", text, plan)
		}
	}
}

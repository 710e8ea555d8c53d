package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine/store"
)

// What is asked often finds its rows by an index, however many sessions there are. A scan
// of session_created is right only where most sessions match.
func TestListsUseTheirIndex(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.write(t.Context(), "tallies", func(tx *tx) error {
		_, err := tx.w.conn.ExecContext(t.Context(), `INSERT INTO tally VALUES ('status', 'w', 'complete', 9), ('status', 'w', 'error', 9), ('status', 'v', 'error', 9), ('step', 'w', 'ask', 9)`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query store.SessionQuery
		want  string
	}{
		"newest":              {store.SessionQuery{}, "SCAN session USING COVERING INDEX session_created"},
		"complete":            {store.SessionQuery{Status: []string{store.StatusComplete}}, "session USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"next complete":       {store.SessionQuery{Status: []string{store.StatusComplete}, After: store.Cursor{ID: "x"}}, "session USING COVERING INDEX session_status (workflow=? AND status=? AND (created_at,id)<(?,?))"},
		"workflow":            {store.SessionQuery{Workflow: "w"}, "SEARCH session USING COVERING INDEX session_workflow (workflow=?)"},
		"error":               {store.SessionQuery{Status: []string{store.StatusError}}, "session USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"error of a workflow": {store.SessionQuery{Status: []string{store.StatusError}, Workflow: "w"}, "session USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"error of workflows":  {store.SessionQuery{Status: []string{store.StatusError}, Workflows: []string{"w*"}}, "session USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"awaiting":            {store.SessionQuery{Awaiting: true, Workflow: "w"}, "SEARCH question USING PRIMARY KEY (step=? AND workflow=?)"},
		"question at a step":  {store.SessionQuery{Step: "ask"}, "SEARCH question USING PRIMARY KEY (step=? AND workflow=?)"},
		"oldest at a step":    {store.SessionQuery{Step: "ask", OldestWaiting: true}, "SEARCH question USING COVERING INDEX question_since (step=? AND workflow=?)"},
		"oldest of workflow":  {store.SessionQuery{OldestWaiting: true, Workflow: "w"}, "session USING COVERING INDEX session_workflow_awaiting (workflow=? AND awaiting_since>?)"},
		"oldest waiting":      {store.SessionQuery{OldestWaiting: true}, "session USING COVERING INDEX session_awaiting (awaiting_since>?)"},
		"next page":           {store.SessionQuery{OldestWaiting: true, After: store.Cursor{ID: "x"}}, "session USING COVERING INDEX session_awaiting ((awaiting_since,id)>(?,?))"},
		"label":               {store.SessionQuery{Labels: map[string]string{"a": "b"}}, "SEARCH label USING PRIMARY KEY (key=? AND value=?)"},
		"ids of a workflow":   {store.SessionQuery{IDs: []string{"a"}, Workflow: "w", Status: []string{store.StatusError}}, "SEARCH session USING INDEX sqlite_autoindex_session_1 (id=?)"},
		"waiting before":      {store.SessionQuery{WaitingBefore: time.Now()}, "SEARCH waiting USING COVERING INDEX session_awaiting (awaiting_since<?)"},
		"waiting in workflow": {store.SessionQuery{WaitingBefore: time.Now(), Workflow: "w"}, "SEARCH waiting USING COVERING INDEX session_workflow_awaiting (workflow=? AND awaiting_since<?)"},
		"waiting at a step":   {store.SessionQuery{WaitingBefore: time.Now(), Step: "ask", Awaiting: true}, "SEARCH waiting USING COVERING INDEX session_awaiting (awaiting_since<?)"},
		"root":                {store.SessionQuery{Root: "r"}, "SEARCH session USING INDEX session_root (root=?)"},
	} {
		l := listing{q: c.query, limit: 50}
		read, err := s.reader.db.BeginTx(t.Context(), nil)
		if err == nil {
			err = errors.Join(l.choose(t.Context(), read), read.Rollback())
		}
		if err != nil {
			t.Fatal(err)
		}
		text, args := l.statement()
		plan := planOf(t, s, text, args)
		if !strings.Contains(plan, c.want) || strings.Contains(plan, "SCAN session") && !strings.Contains(c.want, "SCAN session") {
			t.Errorf("%s: want %s, got\n%s", name, c.want, plan)
		}
		if strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") && len(l.arms) == 1 && name != "root" && c.query.WaitingBefore.IsZero() && c.query.IDs == nil {
			t.Errorf("%s: sorts what an index has in order\n%s", name, plan)
		}
	}
}

// Few sessions that wait since before a time are found by it, many are looked for in the order of the page.
func TestWaitingSinceBefore(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.write(t.Context(), "sessions", func(tx *tx) error {
		_, err := tx.w.conn.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
INSERT INTO session (id, workflow, status, root, created_at, updated_at, awaiting_since) SELECT printf('s%04d', i), 'w', 'awaiting_input', '', i, i, 10000 - i FROM n`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[int64]struct {
		whole bool
		first string
		last  string
	}{7003: {true, "s2999", "s2998"}, 8002: {true, "s2999", "s1999"}, 9003: {false, "s2999", "s0998"}, 7001: {true, "", ""}} {
		for _, workflow := range []string{"", "w"} {
			q := store.SessionQuery{WaitingBefore: time.UnixMicro(since), Workflow: workflow, Limit: 5000}
			_, whole, err := s.Candidates(t.Context(), q, "")
			if err != nil || whole != want.whole {
				t.Errorf("before %d: whole is %t, %v; want %t", since, whole, err, want.whole)
			}
			found, err := s.ListSessions(t.Context(), q)
			first, last := "", ""
			if len(found) > 0 {
				first, last = found[0].ID, found[len(found)-1].ID
			}
			if err != nil || first != want.first || last != want.last {
				t.Errorf("before %d: from %s to %s, %v; want %s to %s", since, first, last, err, want.first, want.last)
			}
		}
	}
}

// A family is read by the index on id, however much else waits or is due.
func TestFamiliesUseTheirIndex(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []store.DescendantQuery{{}, {Awaiting: true}, {Awaiting: true, Step: "ask", After: store.Cursor{ID: "x"}}, {Moving: true}, {After: store.Cursor{ID: "x"}}} {
		q.Of = "a"
		f := familyFilter(q, time.Now())
		page := f.familyPage(q)
		plan := planOf(t, s, sessionScalars+"NULL FROM session"+page, f.args)
		if !strings.Contains(plan, "SEARCH session USING INDEX sqlite_autoindex_session_1 (id>? AND id<?)") {
			t.Errorf("%+v:\n%s", q, plan)
		}
	}
}

func planOf(t *testing.T, s *Store, text string, args []any) string {
	t.Helper()
	rows, err := s.reader.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, args...)
	var plan strings.Builder
	err = eachRow("plan", rows, err, func(row scanner) error {
		var id, parent, unused int
		var line string
		err := row.Scan(&id, &parent, &unused, &line)
		plan.WriteString(line + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// Most checkpoints change neither status nor open questions: they write no index and start no trigger.
func TestMostCheckpointsWriteNoIndex(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"checkpoint_same": false, "checkpoint_keep": true} {
		rows, err := s.reader.db.QueryContext(t.Context(), "EXPLAIN "+query(name), make([]any, 12)...)
		writes := 0
		err = eachRow(name, rows, err, func(row scanner) error {
			var addr, p1, p2, p3, p5 int
			var opcode string
			var p4, comment any
			err := row.Scan(&addr, &opcode, &p1, &p2, &p3, &p4, &p5, &comment)
			if opcode == "IdxInsert" || opcode == "IdxDelete" || opcode == "Program" {
				writes++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if (writes > 0) != want {
			t.Errorf("%s: %d writes of indexes and triggers, want some: %v", name, writes, want)
		}
	}
}

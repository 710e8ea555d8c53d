package sqlite

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepgraph/stepgraph/engine"
)

// What is asked often finds its rows by an index, however many sessions there are. A scan
// of session_created is right only where most sessions match.
func TestListsUseTheirIndex(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query engine.SessionQuery
		want  string
	}{
		"newest":              {engine.SessionQuery{}, "SCAN session USING INDEX session_created"},
		"complete":            {engine.SessionQuery{Status: []string{engine.StatusComplete}}, "SCAN session USING INDEX session_created"},
		"workflow":            {engine.SessionQuery{Workflow: "w"}, "SEARCH session USING INDEX session_workflow (workflow=?)"},
		"error":               {engine.SessionQuery{Status: []string{engine.StatusError}}, "SEARCH few USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"error of a workflow": {engine.SessionQuery{Status: []string{engine.StatusError}, Workflow: "w"}, "SEARCH session USING COVERING INDEX session_status (workflow=? AND status=?)"},
		"awaiting":            {engine.SessionQuery{Awaiting: true, Workflow: "w"}, "SEARCH session USING COVERING INDEX session_awaiting (awaiting_since>?)"},
		"question at a step":  {engine.SessionQuery{Step: "ask"}, "SEARCH session USING COVERING INDEX session_awaiting (awaiting_since>?)"},
		"oldest waiting":      {engine.SessionQuery{OldestWaiting: true, Workflow: "w"}, "SEARCH session USING INDEX session_awaiting (awaiting_since>?)"},
		"next page":           {engine.SessionQuery{OldestWaiting: true, After: engine.Cursor{ID: "x"}}, "SEARCH session USING INDEX session_awaiting ((awaiting_since,id)>(?,?))"},
		"root":                {engine.SessionQuery{Root: "r"}, "SEARCH session USING INDEX session_root (root=?)"},
	} {
		f := sessionFilter(c.query)
		page := f.page(c.query)
		plan := planOf(t, s, sessionScalars+"NULL FROM session"+page, f.args)
		if !strings.Contains(plan, c.want) || strings.Contains(plan, "SCAN session") && !strings.Contains(c.want, "SCAN session") {
			t.Errorf("%s: want %s, got\n%s", name, c.want, plan)
		}
	}
}

// A family is read by the index on id, however much else waits or is due.
func TestFamiliesUseTheirIndex(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []engine.DescendantQuery{{}, {Awaiting: true}, {Awaiting: true, Step: "ask", After: engine.Cursor{ID: "x"}}, {Moving: true}, {After: engine.Cursor{ID: "x"}}} {
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

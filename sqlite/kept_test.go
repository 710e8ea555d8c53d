package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/engine/store"
)

// kept are the tables that triggers keep, each with the query that makes it from the sessions.
var kept = map[string]string{
	"question": `SELECT q.value ->> 'step', s.workflow, s.created_at, s.id, q.key, s.awaiting_since
FROM session AS s, json_each(s.awaiting) AS q WHERE s.awaiting_since IS NOT NULL AND q.value ->> 'step' IS NOT NULL`,
	"label": `SELECT l.key, l.value, s.created_at, s.id FROM session AS s, json_each(s.labels) AS l`,
	"tally": `SELECT 'status', workflow, status, count(*) FROM session GROUP BY 2, 3
UNION ALL SELECT 'step', workflow, step, count(*) FROM question GROUP BY 2, 3`,
}

// CheckKept compares the tables that triggers keep with what the sessions say. The tests of
// this package do it when they close a store.
func CheckKept(s *Store) error {
	var faults []error
	for table, truth := range kept {
		rows := table
		if table == "tally" {
			rows = "tally WHERE n <> 0"
		}
		var missing, extra int
		err := s.reader.db.QueryRow("SELECT count(*) FROM (" + truth + " EXCEPT SELECT * FROM " + rows + ")").Scan(&missing)
		if err == nil {
			err = s.reader.db.QueryRow("SELECT count(*) FROM (SELECT * FROM " + rows + " EXCEPT SELECT * FROM (" + truth + "))").Scan(&extra)
		}
		if missing+extra > 0 {
			err = fmt.Errorf("table %s: %d rows are missing, %d should not be there", table, missing, extra)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// A store that was made before these tables has them after the migration.
func TestMigrateKeepsLists(t *testing.T) {
	s := openBare(t, filepath.Join(t.TempDir(), "x.db"))
	if _, err := s.migrate(t.Context(), until(t, "0005_engines")); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.write(t.Context(), "sessions", func(t *tx) error {
		for i, awaiting := range []any{nil, `[{"step":"ask"},{"step":"tell"}]`, `[{"step":"ask"}]`, "broken", `[1,{"prompt":"?"}]`} {
			if _, err := t.w.conn.ExecContext(context.Background(), `INSERT INTO session (id, workflow, status, created_at, updated_at, root, labels, awaiting, awaiting_since)
VALUES (?1, 'w', 'awaiting_input', ?2, ?2, ?1, '{"team":"blue"}', ?3, ?2)`, fmt.Sprint("s", i), i, awaiting); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]store.SessionQuery{"s2,s1": {Step: "ask"}, "s1": {Step: "tell", OldestWaiting: true}, "s4,s3,s2,s1,s0": {Labels: map[string]string{"team": "blue"}}} {
		list, err := s.ListSessions(t.Context(), q)
		got := ""
		for i := range list {
			got += "," + list[i].ID
		}
		if err != nil || got != ","+name {
			t.Errorf("%+v: got %q, %v; want %s", q, got, err, name)
		}
	}
	counts, err := s.CountSessions(t.Context(), store.SessionQuery{}, "step")
	if err != nil || fmt.Sprint(counts) != "map[w/ask:2 w/tell:1]" {
		t.Errorf("counted %v, %v", counts, err)
	}
}

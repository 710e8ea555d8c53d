package cypher_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/cypher"
	"github.com/stepgraph/stepgraph/engine/store"
)

func TestCheck(t *testing.T) {
	opened, p, gone, half := open(t), newPerson(t), unique("!gone"), unique("half")
	p.types(`CREATE (:EXECUTION {id: $gone + '/1', session: $gone, seq: 1}), (:SESSION {id: $half, deleting: true})`,
		map[string]any{"gone": gone, "half": half})
	t.Cleanup(func() {
		p.types(`MATCH (e:EXECUTION {session: $gone, seq: 1}) DELETE e`, map[string]any{"gone": gone})
		p.types(`MATCH (s:SESSION {id: $half}) DELETE s`, map[string]any{"half": half})
	})
	findings, err := opened.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for code, part := range map[string]string{"orphans": "EXECUTION", "half_deleted": half} {
		if !slices.ContainsFunc(findings, func(f store.Finding) bool {
			return f.Code == code && strings.Contains(f.Message, part) && f.Mend != ""
		}) {
			t.Errorf("no finding %s that names %s among %+v", code, part, findings)
		}
	}
	if slices.ContainsFunc(findings, func(f store.Finding) bool { return f.Code == "migration" || f.Code == "index" }) {
		t.Errorf("a migrated store has findings of its schema: %+v", findings)
	}
	// A deletion that was cut off can be taken up again.
	if done, err := opened.DeleteSession(t.Context(), half); err != nil || !done {
		t.Errorf("deleting the rest: done %v, error %v", done, err)
	}
}

// A new migration says which engines work beside it (docs/adr/0042). Migrations up to 10 were made
// before engines of two versions could work on one database.
func TestMigrationsDeclareTheOldestEngine(t *testing.T) {
	names, err := cypher.Undeclared(10)
	if err != nil || len(names) > 0 {
		t.Errorf("migrations without the line \"// oldest engine: N\": %v, %v", names, err)
	}
}

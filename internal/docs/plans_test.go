package docs_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// costly are operators whose cost grows with the store, not with the answer, and the
// comment with which a saved query that has reason to use one says so.
var costly = map[string]string{
	"AllNodesScan": scan, "NodeByLabelScan": scan, "UnionNodeByLabelsScan": scan, "IntersectionNodeByLabelsScan": scan,
	"SubtractionNodeByLabelsScan": scan, "DirectedAllRelationshipsScan": scan, "UndirectedAllRelationshipsScan": scan,
	"DirectedRelationshipTypeScan": scan, "UndirectedRelationshipTypeScan": scan, "DirectedUnionRelationshipTypesScan": scan,
	"UndirectedUnionRelationshipTypesScan": scan, "CartesianProduct": multiply,
}

const (
	scan     = "// may scan: "
	multiply = "// may multiply: "
)

// operator finds the operators in the table that the server draws of a plan.
var operator = regexp.MustCompile(`(?m)^\| *[|\\ ]*\+(\w+)`)

func TestPlans(t *testing.T) {
	w := newWorld(t)
	for _, q := range loadAll(t) {
		t.Run(q.name, func(t *testing.T) {
			drawn := w.explain(t, q)
			found := operator.FindAllStringSubmatch(drawn, -1)
			if len(found) == 0 {
				t.Fatalf("no plan to be seen in %q", drawn)
			}
			for _, m := range found {
				excuse := costly[m[1]]
				if excuse != "" && !strings.Contains(q.text, excuse) {
					t.Errorf("the plan has %s; find it by an index, or say %q and the reason\n%s", m[1], excuse, drawn)
				}
			}
		})
	}
}

// explain returns the plan of a query with its own parameters, as the server draws it.
func (w *world) explain(t *testing.T, q saved) string {
	t.Helper()
	values := map[string]any{}
	for _, p := range q.params {
		values[p.name] = w.cypher("RETURN "+p.value+" AS value", nil)[0]["value"]
	}
	session := w.driver.NewSession(t.Context(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	result, err := session.Run(t.Context(), "EXPLAIN "+q.text, values)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := result.Consume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range summary.Notifications() {
		if n.Severity() == "WARNING" && !strings.Contains(n.Code(), "Unrecognized") && !strings.Contains(n.Code(), "UnknownPropertyKey") && !strings.Contains(n.Code(), "UnknownRelationshipType") && !strings.Contains(n.Code(), "UnknownLabel") {
			t.Errorf("Neo4j warns: %s: %s", n.Title(), n.Description())
		}
	}
	drawn, _ := summary.Plan().Arguments()["string-representation"].(string)
	return drawn
}

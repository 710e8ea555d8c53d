package docs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stepgraph/stepgraph/cypher/neo4jtest"
)

func TestPlans(t *testing.T) {
	w := newWorld(t)
	neo4jtest.InUse(t, w.driver)
	for _, q := range loadAll(t) {
		t.Run(q.name, func(t *testing.T) {
			if err := neo4jtest.CheckPlan(w.explain(t, q), q.text); err != nil {
				t.Error(err)
			}
		})
	}
}

// explain returns the plan of a query with its own parameters.
func (w *world) explain(t *testing.T, q saved) neo4j.Plan {
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
		if string(n.SeverityLevel()) == "WARNING" && !strings.Contains(n.Code(), "Unrecognized") && !strings.Contains(n.Code(), "UnknownPropertyKey") && !strings.Contains(n.Code(), "UnknownRelationshipType") && !strings.Contains(n.Code(), "UnknownLabel") {
			t.Errorf("Neo4j warns: %s: %s", n.Title(), n.Description())
		}
	}
	return summary.Plan()
}

package conditions_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/references"
)

// fixture reads a file of recorded cases.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	return fixtures.Text(t, filepath.Join(fixtures.Folder(t, "luna"), name))
}

// resolver joins the two languages as the engine does.
func resolver(session string, outputs []byte) conditions.Resolver {
	scope := references.Scope{Session: session, Outputs: references.JSONOutputs(outputs)}
	return conditions.ResolverFunc(func(operand string) (json.RawMessage, bool, error) {
		got, err := references.Parse(operand).Resolve(scope)
		return got.Value, got.Resolved, err
	})
}

func TestRecordedCases(t *testing.T) {
	var cases []struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		State struct {
			ID   string `json:"id"`
			Data struct {
				Outputs json.RawMessage `json:"outputs"`
			} `json:"data"`
		} `json:"state"`
		Condition any    `json:"condition"`
		Operator  string `json:"operator"`
		Want      bool   `json:"want"`
	}
	if err := json.Unmarshal(fixture(t, "conditions.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID+" "+c.Name, func(t *testing.T) {
			got := conditions.Parse(c.Condition, c.Operator).Evaluate(resolver(c.State.ID, c.State.Data.Outputs))
			if got.Open != c.Want {
				t.Errorf("%v (%s) opens: %t, want %t; clauses %+v, %v", c.Condition, c.Operator, got.Open, c.Want, got.Clauses, got.Err)
			}
		})
	}
	t.Logf("%d recorded cases", len(cases))
}

package conditions_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/references"
)

// fixture reads a recorded case file that lives beside the repository.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	root := os.Getenv("STEPGRAPH_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	file := filepath.Join(root, "fixtures", "luna", name)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded cases are absent: no folder %s; set STEPGRAPH_SHARED", filepath.Dir(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
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

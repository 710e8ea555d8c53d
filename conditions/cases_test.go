package conditions_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
)

// TestCases plays testdata/cases.json: every form of a condition with every kind of value, all
// on one state unless a case has its own.
func TestCases(t *testing.T) {
	type state struct {
		ID   string
		Data struct{ Outputs json.RawMessage }
	}
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		State state
		Cases []struct {
			Condition any
			Operator  string
			State     *state
			Want      bool
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		on := &file.State
		if c.State != nil {
			on = c.State
		}
		got := conditions.Parse(c.Condition, c.Operator).Evaluate(resolver(on.ID, on.Data.Outputs))
		if got.Open != c.Want {
			t.Errorf("%v (%s) opens: %t, want %t; clauses %+v, %v", c.Condition, c.Operator, got.Open, c.Want, got.Clauses, got.Err)
		}
	}
}

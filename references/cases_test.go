package references_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stepgraph/stepgraph/references"
)

// TestCases plays testdata/cases.json: what the package comment says of references, one case for
// each rule and form, all on one state unless a case has its own.
func TestCases(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		State json.RawMessage
		Cases []struct {
			Name               string
			Input, Want, State json.RawMessage
			Unresolved         bool
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		state := file.State
		if c.State != nil {
			state = c.State
		}
		in, err := references.ParseValue(c.Input)
		if err != nil {
			t.Fatal(err)
		}
		got, err := in.Resolve(scopeOf(t, state))
		if foreign := new(references.ForeignSessionError); err != nil && !errors.As(err, &foreign) {
			t.Fatal(err)
		}
		if got.Resolved == c.Unresolved {
			t.Errorf("%s: %s: resolved %t, missing %v, %v", c.Name, c.Input, got.Resolved, got.Missing, err)
		} else if got.Resolved && !sameJSON(t, got.Value, c.Want) {
			t.Errorf("%s: %s gives %s, want %s", c.Name, c.Input, got.Value, c.Want)
		}
	}
}

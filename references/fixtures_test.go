package references_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
	"github.com/stepgraph/stepgraph/references"
)

// fixture reads a file of recorded cases.
func fixture(t *testing.T, name string) []byte {
	t.Helper()
	return fixtures.Text(t, filepath.Join(fixtures.Folder(t, "luna"), name))
}

// scopeOf reads a session state the way the engine stores it.
func scopeOf(t testing.TB, state []byte) references.Scope {
	t.Helper()
	var s struct {
		ID   string `json:"id"`
		Data struct {
			Outputs json.RawMessage `json:"outputs"`
		} `json:"data"`
	}
	if err := json.Unmarshal(state, &s); err != nil {
		t.Fatal(err)
	}
	return references.Scope{Session: s.ID, Outputs: references.JSONOutputs(s.Data.Outputs)}
}

func TestRecordedCases(t *testing.T) {
	var cases []struct {
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		State      json.RawMessage `json:"state"`
		Input      json.RawMessage `json:"input"`
		Want       json.RawMessage `json:"want"`
		Unresolved bool            `json:"unresolved"`
	}
	if err := json.Unmarshal(fixture(t, "references.json"), &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID+" "+c.Name, func(t *testing.T) {
			in, err := references.ParseValue(c.Input)
			if err != nil {
				t.Fatal(err)
			}
			got, err := in.Resolve(scopeOf(t, c.State))
			if foreign := new(references.ForeignSessionError); errors.As(err, &foreign) && c.Unresolved {
				return // a step with such an input fails, so the input is not resolved
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Resolved == c.Unresolved || got.Resolved == (len(got.Missing) > 0) {
				t.Fatalf("resolved %t, missing %v, want unresolved %t", got.Resolved, got.Missing, c.Unresolved)
			}
			if got.Resolved && !sameJSON(t, got.Value, c.Want) {
				t.Errorf("%s gives %s, want %s", c.Input, got.Value, c.Want)
			}
		})
	}
	t.Logf("%d recorded cases", len(cases))
}

func sameJSON(t testing.TB, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatalf("%s, %s: %v", a, b, err)
	}
	return reflect.DeepEqual(x, y)
}

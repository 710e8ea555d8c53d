package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepgraph/stepgraph/internal/fixtures"
)

func TestEvalReferenceRecordedCases(t *testing.T) {
	var cases []struct {
		ID, Name           string
		State, Input, Want json.RawMessage
		Unresolved         bool
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "luna"), "references.json"), &cases)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			state := write(t, filepath.Join(t.TempDir(), "state.json"), c.State)
			word, flags := string(c.Input), []string{"--json"}
			var text *string
			if json.Unmarshal(c.Input, &text) == nil && text != nil {
				word, flags = *text, nil
			}
			got := invoke(t, "", nil, append([]string{"eval", "reference", "-o", "json", "--state", state}, append(flags, "--", word)...)...)
			var result struct {
				Resolved bool            `json:"resolved"`
				Value    json.RawMessage `json:"value"`
				Missing  []string        `json:"missing"`
			}
			if got.code != 0 || json.Unmarshal([]byte(got.out), &result) != nil {
				t.Fatalf("%s: exit %d: %s%s", word, got.code, got.out, got.err)
			}
			if result.Resolved == c.Unresolved || result.Resolved == (len(result.Missing) > 0) {
				t.Fatalf("%s: got %s, want unresolved %t", word, got.out, c.Unresolved)
			}
			if result.Resolved && !sameJSON(t, result.Value, c.Want) {
				t.Errorf("%s: got %s, want %s", word, result.Value, c.Want)
			}
		})
	}
	t.Logf("%d recorded cases", len(cases))
}

func TestEvalConditionRecordedCases(t *testing.T) {
	var cases []struct {
		ID, Name, Operator string
		State, Condition   json.RawMessage
		Want               bool
	}
	fixtures.Read(t, filepath.Join(fixtures.Folder(t, "luna"), "conditions.json"), &cases)
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			state := write(t, filepath.Join(t.TempDir(), "state.json"), c.State)
			word := string(c.Condition) // a native list is written as its JSON
			var text *string
			if json.Unmarshal(c.Condition, &text) == nil {
				word = ""
				if text != nil {
					word = *text
				}
			}
			args := []string{"eval", "condition", "-o", "json", "--state", state, "--operator", c.Operator, "--", word}
			got := invoke(t, "", nil, args...)
			var result struct {
				Result  bool            `json:"result"`
				Clauses json.RawMessage `json:"clauses"`
				Error   string          `json:"error"`
			}
			if got.code != 0 || json.Unmarshal([]byte(got.out), &result) != nil {
				t.Fatalf("%s: exit %d: %s%s", word, got.code, got.out, got.err)
			}
			if result.Result != c.Want {
				t.Errorf("%s %s: got %s, want %t", word, c.Operator, got.out, c.Want)
			}
		})
	}
	t.Logf("%d recorded cases", len(cases))
}

// A reference to another session is a result, not a usage error: exit code 0, with the reason.
func TestEvalReferenceToAnotherSession(t *testing.T) {
	state := write(t, filepath.Join(t.TempDir(), "state.json"), json.RawMessage(`{"id": "s", "data": {"outputs": {"a": [1]}}}`))
	for _, args := range [][]string{{"@{other}.a"}, {"--json", `{"x": ["@{other}.a"]}`}} {
		got := invoke(t, "", nil, append([]string{"eval", "reference", "-o", "json", "--state", state}, args...)...)
		var result struct {
			Resolved bool
			Missing  []string
			Error    string
		}
		if err := json.Unmarshal([]byte(got.out), &result); err != nil || got.code != 0 {
			t.Fatalf("%v: exit %d, %v: %s%s", args, got.code, err, got.out, got.err)
		}
		if result.Resolved || len(result.Missing) != 1 || result.Missing[0] != "@{other}.a" || result.Error == "" {
			t.Errorf("%v: %+v", args, result)
		}
	}
}

// A comparison without when is evaluated as what it is, always true, and stderr says what was meant.
func TestEvalSaysWhatIsAlwaysTrue(t *testing.T) {
	state := write(t, filepath.Join(t.TempDir(), "state.json"), `{"id": "s", "data": {"outputs": {"b": [{"x": "Ada"}]}}}`)
	for _, condition := range []string{"@{SESSION_ID}.b.x == 'y'", `{"true": "@{SESSION_ID}.b.x == 'y'"}`, `["@{SESSION_ID}.b.x == 'y'"]`} {
		got := invoke(t, "", nil, "eval", "condition", condition, "--state", state)
		if got.code != exitOK || !strings.HasPrefix(got.out, "open\n") || !strings.Contains(got.err, "write: when @{SESSION_ID}.b.x == 'y'") {
			t.Errorf("%s: exit %d\n%s%s", condition, got.code, got.out, got.err)
		}
	}
	if got := invoke(t, "", nil, "eval", "condition", "when @{SESSION_ID}.b.x == 'y'", "--state", state); got.err != "" || got.out[:6] != "closed" {
		t.Errorf("%s%s", got.out, got.err)
	}
}

package conditions_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
)

// FuzzCondition feeds texts as whole conditions and as items of native lists.
func FuzzCondition(f *testing.F) {
	for _, seed := range []string{
		"", " ", "false", "@{SESSION_ID}.a.yes", `["@{SESSION_ID}.a.no",{"false":"@{SESSION_ID}.x.y|d"}]`,
		`{"operator":"or","true":1,"false":"x"}`, `[[[]]]`, `[`, `{}`, `["[\"x\"]"]`, "when @{SESSION_ID}.a.yes == 'x' or Ʀ0 > 1", `{"when":"@{SESSION_ID}.a.no|[1, 2] == [1]"}`, "\xff[", `{"true":"\ud800"}`, `[1e999,-0]`,
	} {
		f.Add(seed, "")
		f.Add(seed, "OR")
	}
	f.Fuzz(func(t *testing.T, text, operator string) {
		for _, stored := range []any{text, []string{text}, []any{text, nil}} {
			c := conditions.Parse(stored, operator)
			got := c.Evaluate(state)
			if got.Open && got.Err != nil || c.Err() != nil && (got.Err == nil || got.Clauses != nil) {
				t.Fatalf("%q %q: %+v", stored, operator, got)
			}
			if again := c.Evaluate(state); !reflect.DeepEqual(got, again) && got.Err == nil {
				t.Fatalf("%q %q: %+v, then %+v", stored, operator, got, again)
			}
			explained, err := json.Marshal(got)
			if err != nil || !json.Valid(explained) {
				t.Fatalf("%q %q: %s, %v", stored, operator, explained, err)
			}
		}
	})
}

package conditions_test

import (
	"encoding/json"
	"testing"

	"github.com/stepgraph/stepgraph/conditions"
)

const typical = `[{"false":"@{SESSION_ID}.generate.is_movie_question"},"@{SESSION_ID}.generate.merits_followup"]`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if c := conditions.Parse(typical, ""); c.Err() != nil {
			b.Fatal(c.Err())
		}
	}
}

// BenchmarkEvaluate leaves the cost of resolving out: it is measured in package
// references.
func BenchmarkEvaluate(b *testing.B) {
	yes := json.RawMessage("true")
	r := conditions.ResolverFunc(func(string) (json.RawMessage, bool, error) { return yes, true, nil })
	c := conditions.Parse(typical, "OR")
	for b.Loop() {
		if !c.Evaluate(r).Open {
			b.Fatal("closed")
		}
	}
}

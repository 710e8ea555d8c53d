package conditions_test

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/conditions"
	"github.com/stepgraph/stepgraph/references"
)

func Example() {
	scope := references.Scope{
		Session: "6f1c",
		Outputs: references.JSONOutputs(`{"generate":[{"is_movie_question":false,"merits_followup":true}]}`),
	}
	resolver := conditions.ResolverFunc(func(operand string) (json.RawMessage, bool, error) {
		got, err := references.Parse(operand).Resolve(scope)
		return got.Value, got.Resolved, err
	})

	stored := `[{"false": "@{SESSION_ID}.generate.is_movie_question"}, "@{SESSION_ID}.generate.merits_followup"]`
	verdict := conditions.Parse(stored, "AND").Evaluate(resolver)
	fmt.Println("open:", verdict.Open)
	for _, c := range verdict.Clauses {
		fmt.Println(c.Path, string(c.Value), c.Result)
	}
	// Output:
	// open: true
	// [0].false false true
	// [1] true true
}

func ExampleCondition_Err() {
	condition := conditions.Parse(`[{"true": @{SESSION_ID}.ask.response}]`, "")
	fmt.Println(condition.Err())
	// Output:
	// not JSON at character 11: invalid character '@' looking for beginning of value: a reference stands in quotes
}

func ExampleTruth() {
	for _, value := range []string{`"False"`, `"no"`, `0.0`, `[0]`} {
		fmt.Println(value, conditions.Truth(json.RawMessage(value)))
	}
	// Output:
	// "False" false
	// "no" true
	// 0.0 false
	// [0] true
}

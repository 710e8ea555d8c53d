package references_test

import (
	"fmt"

	"github.com/stepgraph/stepgraph/references"
)

var session = references.Scope{
	Session: "6f1c",
	Outputs: references.JSONOutputs(`{"ask":[{"prompt":"Name?","response":"Ada"}],"count":[{"n":1.50},{"n":2.0}]}`),
}

func ExampleParse() {
	for _, text := range []string{
		"@{SESSION_ID}.count.n",
		"@{SESSION_ID}.count[0].n",
		"@{SESSION_ID}.nobody.name | a friend",
		"Hello @{SESSION_ID}.ask.response! You are @{SESSION_ID}.count",
		"Hello @{SESSION_ID}.nobody.name",
	} {
		got, err := references.Parse(text).Resolve(session)
		if err != nil {
			fmt.Println(err)
			return
		}
		if !got.Resolved {
			fmt.Println("missing", got.Missing[0].Reference, "-", got.Missing[0].Reason)
			continue
		}
		fmt.Println(string(got.Value))
	}
	// Output:
	// 2.0
	// 1.50
	// "a friend"
	// "Hello Ada! You are {\"n\":2.0}"
	// missing @{SESSION_ID}.nobody.name - step "nobody" has no output
}

func ExampleParseInput() {
	in, err := references.ParseInput([]byte(`{
		"message": "Hello @{SESSION_ID}.ask.response!",
		"options": [{"amount": "@{SESSION_ID}.count.n"}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := in.Resolve(session)
	fmt.Println(string(got.Value), err)
	// Output:
	// {"message":"Hello Ada!","options":[{"amount":2.0}]} <nil>
}

func ExampleParseInput_forms() {
	in, err := references.ParseInput([]byte(`{
		"message": {"@text": ["Hello ", "@{SESSION_ID}.nobody.name|dear guest", "!"]},
		"how": {"@literal": "Write @{SESSION_ID}.ask.response"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := in.Resolve(session)
	fmt.Println(string(got.Value), err)
	// Output:
	// {"message":"Hello dear guest!","how":"Write @{SESSION_ID}.ask.response"} <nil>
}

func ExampleParseInput_error() {
	_, err := references.ParseInput([]byte("{\n  \"message\": 'Hello'\n}"))
	fmt.Println(err)
	// Output:
	// line 2, column 14: not JSON: invalid character '\'' looking for beginning of value
}

func ExampleInput_ResolveProgram() {
	in, err := references.ParseInput([]byte(`{"query": "MATCH (p {name: @{SESSION_ID}.ask.response}) RETURN p", "limit": "@{SESSION_ID}.count.n"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	got, programs, err := in.ResolveProgram(session, references.ProgramField{
		Key:   "query",
		Write: func(name string) string { return "$" + name },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(got.Value))
	fmt.Println(string(programs["query"].Values))
	// Output:
	// {"query":"MATCH (p {name: $ref_0}) RETURN p","limit":2.0}
	// {"ref_0":"Ada"}
}

func ExampleBind() {
	program, bindings := references.Bind("result = @{SESSION_ID}.count.n * @{SESSION_ID}.factor.n|2",
		func(i int) string { return fmt.Sprintf("v%d", i) })
	fmt.Println(program)
	for _, b := range bindings {
		got, err := b.Template.Resolve(session)
		fmt.Println(b.Name, string(got.Value), err)
	}
	// Output:
	// result = v0 * v1
	// v0 2.0 <nil>
	// v1 "2" <nil>
}

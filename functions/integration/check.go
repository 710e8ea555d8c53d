package integration

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/graphql"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// check validates an input whose references are not resolved yet. A mistake that the function
// returns as a result with an error code, such as a missing address, is a warning, because the
// workflow runs.
func check(text json.RawMessage) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	var c web.Checks
	c.OneOf("type", o.Get("type"), "mock", "rest", "graphql")
	c.Address("url", o.Get("url"))
	if auth := o.Get("auth"); auth != nil && auth[0] == '{' {
		c.Auth(auth)
	} else {
		c.OneOf("auth", auth, "none", "bearer", "apikey", "api_key", "custom")
	}
	if o.Get("query") != nil {
		graphql.CheckQuery(&c, o.Get("query"))
	}
	if given := o.Get("mock_output"); web.Settled(given) {
		if r := mock(given, nil); r.code != "" {
			c.Error("mock_output", r.message)
		}
	}
	for i := range c.Problems {
		c.Problems[i].Level = "warning"
	}
	return c.Problems
}

var examples = []function.Example{
	{Title: "A recorded answer, as long as there is no real one", Input: json.RawMessage(`{"type": "mock", "mock_output": [{"room": "12", "free": true}, {"room": "14", "free": false}]}`)},
	{Title: "A REST endpoint; the arguments of a tool call become its query", Input: json.RawMessage(`{"type": "rest", "url": "https://shop.example.com/orders", "auth": "bearer", "auth_token": {"secret": "SHOP_TOKEN"}, "arguments": {"order_id": "@{SESSION_ID}.ask.response"}}`)},
	{Title: "A GraphQL endpoint; arguments are merged into the variables", Input: json.RawMessage(`{"type": "graphql", "url": "https://shop.example.com/graphql", "query": "query ($id: ID!) { order(id: $id) { status } }", "variables": {"id": "77"}}`)},
}

package graphql

import (
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// check validates an input when its workflow is loaded; its references are not resolved yet.
func check(text json.RawMessage, allow []netip.Prefix) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	var c web.Checks
	address := o.Get("endpoint")
	if address == nil {
		address = o.Get("url")
	}
	if address == nil {
		c.Error("address", "endpoint: the address is missing")
	}
	c.Address("endpoint", address)
	c.Reachable("endpoint", address, allow)
	c.Auth(o.Get("auth"))
	CheckQuery(&c, o.Get("query"))
	if variables := o.Get("variables"); web.Settled(variables) && variables[0] != '{' && variables[0] != '"' {
		c.Error("variables", "variables: want an object")
	}
	return c.Problems
}

// CheckQuery validates a query with references: it must not be empty, and no reference may
// stand inside quotes.
func CheckQuery(c *web.Checks, query json.RawMessage) {
	text := input.TextOf(query)
	if strings.TrimSpace(text) == "" {
		c.Error("query", "query: there is none")
		return
	}
	for _, part := range token.FindAllString(text, -1) {
		if part[0] == '"' && strings.Contains(part, "@{SESSION_ID}") {
			c.Error("query", "query: a reference stands inside quotes; leave the quotes out, a text brings its own")
			return
		}
	}
}

// examples have no outputs, because the responses depend on the servers.
var examples = []function.Example{
	{Title: "A reference in the query is a value", Input: json.RawMessage(`{"endpoint": "https://shop.example.com/graphql", "query": "{ order(number: @{SESSION_ID}.ask.response) { status total } }"}`)},
	{Title: "Variables, where the type matters", Input: json.RawMessage(`{"endpoint": "https://shop.example.com/graphql", "auth": {"type": "bearer", "token": {"secret": "SHOP_TOKEN"}}, "query": "mutation ($id: ID!, $why: Reason!) { cancel(id: $id, reason: $why) { id } }", "variables": {"id": "@{SESSION_ID}.order.id", "why": "CUSTOMER"}}`)},
}

package graph

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
	"github.com/stepgraph/stepgraph/internal/readonly"
	"github.com/stepgraph/stepgraph/references"
)

// check validates an input when its workflow is loaded; its references are not resolved yet.
func check(text json.RawMessage) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	var c web.Checks
	var names []string
	query, _ := references.Bind(input.TextOf(o.Get("query")), func(i int) string {
		names = append(names, fmt.Sprintf("ref_%d", i))
		return names[i]
	})
	if err := readonly.Check(query); err != nil {
		c.Error("query", err.Error())
	} else if _, err := readonly.Replace(query, names, func(name string) string { return name }); err != nil {
		c.Error("query", err.Error())
	}
	if given := o.Get("limit"); web.Settled(given) {
		if in, err := input.Bind[Input](input.Object{{Name: "limit", Value: given}}); err != nil {
			c.Error("limit", err.Error())
		} else if _, _, err := in.limits(); err != nil {
			c.Error("limit", err.Error())
		}
	}
	return c.Problems
}

// examples have no outputs, because the results depend on the contents of the graph.
var examples = []function.Example{
	{Title: "A reference becomes a parameter", Input: json.RawMessage(`{"query": "MATCH (o:Order {number: @{SESSION_ID}.ask.response}) RETURN o.status AS status, o.total AS total"}`)},
	{Title: "Sessions of this workflow that wait", Input: json.RawMessage(`{"query": "MATCH (s:SESSION {workflow: $workflow, status: 'awaiting_input'}) RETURN count(s) AS waiting", "parameters": {"workflow": "support"}, "limit": 1}`)},
}

package mcp

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/input"
	"github.com/stepgraph/stepgraph/functions/internal/web"
)

// check validates an input when its workflow is loaded; its references are not resolved yet. A
// server that is not configured here is a warning, because it may be configured elsewhere. No
// server is started.
func (p *Pool) check(text json.RawMessage) []function.Problem {
	o, err := input.Parse(text)
	if err != nil {
		return nil // the engine reports an input that is not an object
	}
	var c web.Checks
	for _, name := range []string{"command", "args", "env", "url"} {
		if o.Get(name) != nil {
			c.Error("mcp_server", name+": a workflow cannot bring an MCP server of its own; the operator names it in the configuration")
		}
	}
	for _, name := range []string{"server", "tool"} {
		if o.Get(name) == nil {
			c.Error("mcp_"+name, name+": the name is missing")
		}
	}
	if given := o.Get("server"); web.Settled(given) && len(p.options.Servers) > 0 {
		if _, err := p.server(input.TextOf(given)); err != nil {
			c.Problems = append(c.Problems, function.Problem{Level: "warning", Code: "mcp_server", Message: err.Error()})
		}
	}
	return c.Problems
}

// examples have no outputs, because the results depend on the servers.
var examples = []function.Example{
	{Title: "Call a tool of the server that the configuration calls files", Input: json.RawMessage(`{"server": "files", "tool": "read_file", "arguments": {"path": "@{SESSION_ID}.ask.response"}}`)},
}

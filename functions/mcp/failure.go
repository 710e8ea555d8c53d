package mcp

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// answered tells whether a server itself refused a request, which it would do again. Codes
// from -32099 to -32000 are those of connections.
func answered(err error) bool {
	var said *jsonrpc.Error
	return errors.As(err, &said) && (said.Code < -32099 || said.Code > -32000)
}

// failure is an error of a call as the engine wants to know it.
func (p *Pool) failure(name string, c *connection, err error) error {
	var said *jsonrpc.Error
	if answered(err) && errors.As(err, &said) {
		return &engine.CallError{Kind: engine.KindFailed, Message: fmt.Sprintf("MCP server %s: %s", name, c.said.blot(said.Message))}
	}
	return p.unreachable(name, c, err)
}

// unreachable is the error of a server that could not be started or reached, or is gone.
func (p *Pool) unreachable(name string, c *connection, err error) error {
	var fault *engine.CallError
	if errors.As(err, &fault) { // the configuration is at fault
		return &engine.CallError{Kind: fault.Kind, Message: fmt.Sprintf("MCP server %s: %s", name, fault.Message)}
	}
	if refused := netguard.Refusal(err); refused != nil {
		return &engine.CallError{Kind: engine.KindDisabled, Message: fmt.Sprintf("MCP server %s: %s", name, refused)}
	}
	message := fmt.Sprintf("MCP server %s: %s", name, wire.Cause(err))
	if c.said != nil {
		message = c.said.blot(message)
		if last := c.said.last(); last != "" {
			p.options.Log.Debug("mcp server wrote", "server", name, "line", last)
			message += " (it wrote: " + last + ")"
		}
	}
	return &engine.CallError{Kind: "connection", Transient: true, Message: message}
}

func timedOut(name string, allowed time.Duration) error {
	return &engine.CallError{Kind: engine.KindTimeout, Transient: true, Message: fmt.Sprintf("MCP server %s: no answer within %s", name, allowed)}
}

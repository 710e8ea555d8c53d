package mcp

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/functions/internal/wire"
	"github.com/stepgraph/stepgraph/functions/netguard"
)

// answered reports whether the server itself refused the request, which it would do again.
// Codes from -32099 to -32000 are connection errors.
func answered(err error) bool {
	var said *jsonrpc.Error
	return errors.As(err, &said) && (said.Code < -32099 || said.Code > -32000)
}

// failure converts an error of a call to an error of the engine.
func (p *Pool) failure(name string, c *connection, err error) error {
	var said *jsonrpc.Error
	if answered(err) && errors.As(err, &said) {
		return &function.CallError{Kind: function.KindFailed, Message: fmt.Sprintf("MCP server %s: %s", name, c.said.mask(said.Message))}
	}
	return p.unreachable(name, c, err)
}

// unreachable returns the error of a server that cannot be started or reached, or has ended.
func (p *Pool) unreachable(name string, c *connection, err error) error {
	var fault *function.CallError
	if errors.As(err, &fault) { // an error in the configuration
		return &function.CallError{Kind: fault.Kind, Message: fmt.Sprintf("MCP server %s: %s", name, fault.Message)}
	}
	if refused := netguard.Refusal(err); refused != nil {
		return &function.CallError{Kind: function.KindDisabled, Message: fmt.Sprintf("MCP server %s: %s", name, refused)}
	}
	message := fmt.Sprintf("MCP server %s: %s", name, wire.Cause(err))
	if c.said != nil {
		message = c.said.mask(message)
		if last := c.said.last(); last != "" {
			p.options.Log.Debug("mcp server wrote", "server", name, "line", last)
			message += " (it wrote: " + last + ")"
		}
	}
	return &function.CallError{Kind: "connection", Transient: true, Message: message}
}

func timedOut(name string, allowed time.Duration) error {
	return &function.CallError{Kind: function.KindTimeout, Transient: true, Message: fmt.Sprintf("MCP server %s: no answer within %s", name, allowed)}
}

// Package callcentresteps holds the step function that call-centre graphs compile to.
package callcentresteps

import (
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/agent"
)

// Register registers agent.callcentre.
func Register(r *engine.Registry, o functions.Options) {
	r.Add(agent.Extended(o.Generate(), "agent.callcentre", "Answers as the router or a department of a call centre: an agent with the error codes of that system.",
		"hear", "profile_optional", "check_arguments", "unknown_tool_error", "round_limit_error", "empty_error"))
}

// Package agentzerosteps holds the step function that Agent Zero's flows compile to.
package agentzerosteps

import (
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/agent"
)

// Register registers agent.agentzero.
func Register(r *engine.Registry, o functions.Options) {
	r.Add(agent.Extended(o.Generate(), "agent.agentzero", "Answers as an agent node of an Agent Zero flow, which calls no model where its input is empty.",
		"unless_empty", "profile_optional", "empty_error"))
}

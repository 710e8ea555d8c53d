// Package compat registers the step functions that only imported flows of other systems use.
// Each system's functions, format and HTTP routes are in packages below its own folder.
package compat

import (
	"github.com/stepgraph/stepgraph/compat/agentzero/agentzerosteps"
	"github.com/stepgraph/stepgraph/compat/callcentre/callcentresteps"
	"github.com/stepgraph/stepgraph/compat/flowise/flowisesteps"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
)

// Functions registers the functions of all systems, in addition to the standard functions and
// with the same options.
func Functions(r *engine.Registry, o functions.Options) {
	flowisesteps.Register(r, o)
	callcentresteps.Register(r, o)
	agentzerosteps.Register(r, o)
}

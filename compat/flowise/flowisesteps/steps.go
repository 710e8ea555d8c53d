// Package flowisesteps holds the step functions that Flowise's agent flows compile to. Each is
// one of the standard functions with Flowise's error texts, lenient lists and conversations.
package flowisesteps

import (
	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/functions"
	"github.com/stepgraph/stepgraph/functions/agent"
	"github.com/stepgraph/stepgraph/functions/classify"
	"github.com/stepgraph/stepgraph/functions/compare"
)

// Register registers the functions.
func Register(r *engine.Registry, o functions.Options) {
	r.Add(agent.Extended(o.Generate(), "agent.flowise", "Answers as an LLM or agent node of Flowise, in a conversation of the flow.",
		"schema_by", "text_as", "conversation", "on_reject", "convert", "parse", "list_calls"))
	r.Add(classify.Extended(o.Generate(), "classify.flowise", "Chooses a scenario as a condition agent of Flowise, in a conversation of the flow.",
		"conversation", "ask", "strict", "on_unknown"))
	r.Add(functions.SwitchAs("switch.flowise", "Chooses a branch as a Condition node of Flowise, which compares texts without markup and reads numbers and patterns leniently.",
		compare.Options{StripMarkup: true, LenientNumbers: true, LenientPatterns: true}))
	r.Add(iterateSpec())
	r.Add(subflowSpec())
	r.Add(calculatorSpec())
}

package agentzero

import (
	"fmt"

	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// Refuses returns why the editor's connection rules forbid a path between two nodes, "" if it
// is allowed. Steps that are not nodes of the flow may be connected freely.
func Refuses(w *engine.Workflow, p *engine.Path) string {
	from, to := nodeOf(w.Step(p.Source)), nodeOf(w.Step(p.Target))
	if from == nil || to == nil {
		return ""
	}
	holders := map[string]string{}
	handles := map[string]bool{}
	for i := range w.Paths {
		switch q := &w.Paths[i]; {
		case q.Kind == engine.Contains:
			holders[q.Target] = q.Source
		case q.Kind == engine.Next && q.Source == p.Source && q.Extra[propertyGenerated] == nil:
			handles[handleOf(q)] = true
		}
	}
	handle := handleOf(p)
	switch {
	case kinds[to.Type] == kindInput:
		return fmt.Sprintf("nothing leads to the input %q", p.Target)
	case kinds[from.Type] == kindOutput:
		return fmt.Sprintf("the output %q leads nowhere", p.Source)
	case holders[p.Target] != "" || holders[p.Source] != "":
		return "what is in a group gets what the group gets, and its result goes on with the group: connect the group"
	case kinds[from.Type] == kindCondition && handle != "true" && handle != "false":
		return fmt.Sprintf("a path out of the condition %q leaves by true or by false: give from_port", p.Source)
	case kinds[from.Type] == kindCondition && handles[handle]:
		return fmt.Sprintf("the condition %q has its path for %s already", p.Source, handle)
	}
	return ""
}

// handleOf returns the handle at which a path starts, or the handle named by its label.
func handleOf(p *engine.Path) string {
	if port, _ := p.Extra[refit.FromPort].(string); port != "" {
		return port
	}
	return p.Label
}

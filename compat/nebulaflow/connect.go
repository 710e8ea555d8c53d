package nebulaflow

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// Refuses returns why a flow cannot have a path between two of its nodes, "" if it can: there
// is at most one edge with the same ends and handles, an edge out of an if/else names a side,
// and a handle in-N accepts one edge. Steps that are not nodes of the flow may be connected
// freely.
func Refuses(w *engine.Workflow, p *engine.Path) string {
	from, to := nodeOf(w.Step(p.Source)), nodeOf(w.Step(p.Target))
	if !kinds[from.Type] || !kinds[to.Type] {
		return ""
	}
	leaves, enters := portText(p, propertyFromPort), portText(p, propertyToPort)
	if from.Type == kindIfElse && leaves != sides[0] && leaves != sides[1] {
		return fmt.Sprintf("a path out of the if/else %q leaves by true or by false: give from_port", p.Source)
	}
	for i := range w.Paths {
		q := &w.Paths[i]
		if q.Kind != engine.Next || q.Extra[propertyGenerated] != nil || q.Target != p.Target {
			continue
		}
		switch {
		case q.Source == p.Source && portText(q, propertyFromPort) == leaves && portText(q, propertyToPort) == enters:
			return fmt.Sprintf("%q is connected with %q by these handles already", p.Source, p.Target)
		case enters != "" && enters != handleOverride && enters != "main" && portText(q, propertyToPort) == enters:
			return fmt.Sprintf("handle %q of %q has its edge already: take the next free one", enters, p.Target)
		}
	}
	return ""
}

func portText(p *engine.Path, name string) string {
	text, _ := p.Extra[name].(string)
	return text
}

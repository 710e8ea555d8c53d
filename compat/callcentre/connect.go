package callcentre

import (
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
)

// Refuses returns why a graph cannot have a TOOL path between two of its nodes, "" if it can: a
// router and departments use departments and tools, a tool uses one integration. Steps that are
// not nodes of the graph may be connected freely.
func Refuses(w *engine.Workflow, p *engine.Path) string {
	from, to := kindOf(w.Step(p.Source)), kindOf(w.Step(p.Target))
	switch {
	case from == "" || to == "":
		return ""
	case !offersTool(from, to):
		return fmt.Sprintf("%q is a %s and %q is a %s: the router and departments use departments and tools, a tool uses an integration", p.Source, from, p.Target, to)
	case from != kindTool:
		return ""
	}
	for i := range w.Paths {
		if q := &w.Paths[i]; q.Kind == engine.Tool && q.Source == p.Source && kindOf(w.Step(q.Target)) == kindIntegration {
			return fmt.Sprintf("the tool %q uses the integration %q already", p.Source, q.Target)
		}
	}
	return ""
}

func kindOf(s *engine.Step) string {
	if s == nil {
		return ""
	}
	kind, _ := s.Extra[propertyKind].(string)
	return kind
}

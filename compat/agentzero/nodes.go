package agentzero

import (
	"encoding/json"

	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// A Node is a step that represents a node of the flow.
type Node struct {
	ID     string
	Output bool // the node whose text is the flow's result
}

// Nodes lists the steps of a workflow that were nodes of its flow.
func Nodes(w *engine.Workflow) []Node {
	var out []Node
	for i := range w.Steps {
		if n := nodeOf(&w.Steps[i]); n != nil {
			out = append(out, Node{ID: w.Steps[i].ID, Output: kinds[n.Type] == kindOutput})
		}
	}
	return out
}

// NeedsPrompt reports whether a flow takes a prompt when it is run.
func NeedsPrompt(w *engine.Workflow) bool {
	for i := range w.Steps {
		if n := nodeOf(&w.Steps[i]); n != nil && kinds[n.Type] == kindInput && !n.fixed() {
			return true
		}
	}
	return false
}

// Same reports whether two workflows run as the same flow.
func Same(a, b *engine.Workflow) bool { return len(refit.Compare(a, b)) == 0 }

func nodeOf(s *engine.Step) *node {
	var n node
	if s.Extra[propertyGenerated] != nil || s.Config == "" || json.Unmarshal([]byte(s.Config), &n) != nil || kinds[n.Type] == "" {
		return nil
	}
	return &n
}

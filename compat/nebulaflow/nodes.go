package nebulaflow

import (
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// A Node is the node of the file from which a step was compiled.
type Node struct {
	ID   string
	Type string
	// Subflow is the id of the workflow that a node of type subflow runs.
	Subflow string
	// Boundary is true for the nodes that stand for the ports of a subflow.
	Boundary bool
	Inactive bool
}

// Types of node that clients treat differently.
const (
	TypeLLM     = kindLLM
	TypeCLI     = kindCLI
	TypePreview = kindPreview
	TypeSubflow = kindSubflow
)

// Nodes returns the steps that represent nodes of the file, in the order of the file.
// Generated steps are not included.
func Nodes(w *engine.Workflow) []Node {
	var out []Node
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Config == "" || s.Extra[propertyGenerated] != nil {
			continue
		}
		n := nodeOf(s)
		out = append(out, Node{ID: s.ID, Type: n.Type, Subflow: n.Data.SubflowID,
			Boundary: n.Type == kindInput || n.Type == kindOutput, Inactive: s.Inactive})
	}
	return out
}

// Known reports whether a type of node exists.
func Known(kind string) bool { return kinds[kind] }

// Same reports whether two workflows run as the same flow.
func Same(a, b *engine.Workflow) bool { return len(refit.Compare(a, b)) == 0 }

package nebulaflow

import (
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// A Node is what an editor of NebulaFlow knows of a step: the node it was made of.
type Node struct {
	ID   string
	Type string
	// Subflow is the workflow that a node of type subflow runs.
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

// Nodes are the steps of a workflow that are nodes of its file, in the order of the file.
// Steps the compiler added are none.
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

// Known tells whether there are nodes of a type.
func Known(kind string) bool { return kinds[kind] }

// Same tells whether two workflows run as the same flow.
func Same(a, b *engine.Workflow) bool { return len(refit.Compare(a, b)) == 0 }

package memory

import (
	"slices"

	"github.com/stepgraph/stepgraph/engine/graph"
)

// A workflow holds the nodes of one workflow as a graph database does: properties as they were
// put, decoded at each read, so that a property of a wrong type is a problem here as on Neo4j.
type workflow struct {
	properties map[string]any // of the WORKFLOW node; nil when there is none
	steps      []*step
	first      map[string]*step // for each id, the first of its steps
	paths      map[string]*path // from its steps, by Ref
}

func newWorkflow() *workflow {
	return &workflow{first: make(map[string]*step), paths: make(map[string]*path)}
}

func (w *workflow) add(n *step) {
	w.steps = append(w.steps, n)
	if id := n.id(); w.first[id] == nil {
		w.first[id] = n
	}
}

// remove removes all steps with these ids and returns them.
func (w *workflow) remove(ids []string) map[*step]bool {
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
		delete(w.first, id)
	}
	gone := make(map[*step]bool)
	w.steps = slices.DeleteFunc(w.steps, func(n *step) bool {
		if named[n.id()] {
			gone[n] = true
		}
		return gone[n]
	})
	return gone
}

// A step is one STEP node. Two may have the same id.
type step struct {
	workflow   string
	properties map[string]any
}

func (n *step) id() string {
	id, _ := n.properties["id"].(string)
	return id
}

// A path is one relationship.
type path struct {
	kind       graph.PathKind
	from, to   *step
	properties map[string]any
}

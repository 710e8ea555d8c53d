package refit

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// Properties that the compilers of files with nodes and edges give to steps and paths.
const (
	Generated = "generated" // of steps and paths the compiler added
	Of        = "of"        // of a generated step: the node it belongs to
	EdgeText  = "edge"      // of a path: the edge as it stood in the file, JSON text
	FromPort  = "from_port"
	ToPort    = "to_port"
	Order     = "order" // where the node or edge stood in the file
)

// Nodes returns the steps that represent nodes of the file, in its order.
func Nodes(w *engine.Workflow) []*engine.Step {
	var steps []*engine.Step
	for i := range w.Steps {
		if s := &w.Steps[i]; s.Extra[Generated] == nil && s.Config != "" {
			steps = append(steps, s)
		}
	}
	sort.SliceStable(steps, func(i, j int) bool { return Place(steps[i].Extra) < Place(steps[j].Extra) })
	return steps
}

// Write writes the nodes of the file, in its order, each as write returns it.
func Write(w *engine.Workflow, write func(*engine.Step) (json.RawMessage, error)) ([]any, error) {
	out := []any{}
	for _, s := range Nodes(w) {
		text, err := write(s)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// A Drawing holds the nodes that a format writes for steps added to a workflow.
type Drawing struct {
	Nodes []any
	Why   map[string]string // of a step that the format has no node for: the reason; "" for one that has a node
}

// Draw calls draw for each step that was added since the file was loaded, which is neither a
// node of the file nor generated. draw returns the node, or the reason why the format has
// none.
func Draw(w *engine.Workflow, draw func(*engine.Step) (node any, why string)) Drawing {
	d := Drawing{Why: map[string]string{}}
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Extra[Generated] != nil || s.Config != "" {
			continue
		}
		node, why := draw(s)
		if d.Why[s.ID] = why; why == "" {
			d.Nodes = append(d.Nodes, node)
		}
	}
	return d
}

// Edges returns the paths that were edges of the file, in its order, followed by paths added
// since. Each is a copy between nodes: an end at a generated step is the node it belongs to.
func Edges(w *engine.Workflow, isEdge func(*engine.Path) bool) []*engine.Path {
	var paths []*engine.Path
	for i := range w.Paths {
		if isEdge(&w.Paths[i]) {
			p := w.Paths[i]
			p.Source, p.Target = nodeOf(w, p.Source), nodeOf(w, p.Target)
			paths = append(paths, &p)
		}
	}
	sort.SliceStable(paths, func(i, j int) bool { return Place(paths[i].Extra) < Place(paths[j].Extra) })
	return paths
}

// nodeOf returns the node that a generated step belongs to, and the id of any other step as it is.
func nodeOf(w *engine.Workflow, id string) string {
	if s := w.Step(id); s != nil && s.Extra[Generated] != nil {
		if of, ok := s.Extra[Of].(string); ok {
			return of
		}
	}
	return id
}

// IsEdge reports whether a path is an edge, for formats in which all NEXT paths between nodes
// are.
func IsEdge(p *engine.Path) bool { return p.Kind == engine.Next && p.Extra[Generated] == nil }

// Edge returns the edge of a path as it is in the file; for a path added since, an edge with
// its ends and ports, and the fields of more.
func Edge(p *engine.Path, more inputs.Object) any {
	if text, ok := p.Extra[EdgeText].(string); ok {
		return json.RawMessage(text)
	}
	e := append(inputs.Of("id", p.ID, "source", p.Source, "target", p.Target), more...)
	for _, port := range []struct{ property, field string }{{FromPort, "sourceHandle"}, {ToPort, "targetHandle"}} {
		if name, ok := p.Extra[port.property].(string); ok {
			e = e.With(port.field, name)
		}
	}
	return e
}

// Place returns the position of a step or path in the file's order; those without one come
// last.
func Place(extra map[string]any) float64 {
	switch n := extra[Order].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return 1 << 30
}

// Drawn returns the paths that were edges of the file, and whether these are fewer than all.
func Drawn(paths []*engine.Path) (old []*engine.Path, fewer bool) {
	for _, p := range paths {
		if _, ok := p.Extra[EdgeText].(string); ok {
			old = append(old, p)
		}
	}
	return old, len(old) < len(paths)
}

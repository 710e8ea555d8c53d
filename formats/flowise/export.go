package flowise

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/stepgraph/stepgraph/formats/internal/inputs"
	"github.com/stepgraph/stepgraph/formats/internal/refit"
)

// ErrNotAFlow is returned for a workflow that does not come from a document of Flowise.
var ErrNotAFlow = errors.New("not an agentflow of Flowise")

// Export writes a workflow back as a document of Flowise. Nodes and edges keep what they had;
// labels and places are those of the workflow, and new paths between nodes become edges.
// Problems name what such a document cannot say: what is written then is the one that comes
// closest.
func Export(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	if w.Extra[propertyFormat] != Format {
		return nil, nil, fmt.Errorf("workflow %q: %w", w.ID, ErrNotAFlow)
	}
	nodes, err := exportNodes(w)
	if err != nil {
		return nil, nil, err
	}
	text, err := join(w, inputs.Of("nodes", nodes, "edges", exportEdges(w)))
	if err != nil {
		return nil, nil, err
	}
	again, err := Parse(w.ID+".json", text)
	if err != nil {
		return text, refit.Refused(w, err), nil
	}
	return text, refit.Compare(w, &again.Workflows[0]), nil
}

// join is the document with what stood beside its nodes and edges. That of a chatflow is
// written as a file, without its row.
func join(w *engine.Workflow, content inputs.Object) ([]byte, error) {
	beside, _ := w.Extra[propertySource].(string)
	return refit.Join(content, beside)
}

// exportNodes are the nodes of all steps that were nodes, in the order of the document, and
// its sticky notes.
func exportNodes(w *engine.Workflow) ([]any, error) {
	var steps []*engine.Step
	for i := range w.Steps {
		if s := &w.Steps[i]; s.Extra[propertyGenerated] == nil && s.Config != "" {
			steps = append(steps, s)
		}
	}
	sort.SliceStable(steps, func(i, j int) bool { return place(steps[i].Extra) < place(steps[j].Extra) })
	out := []any{}
	for _, s := range steps {
		text, err := exportNode(s)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		out = append(out, text)
	}
	if notes, ok := w.Extra[propertyNotes].(string); ok {
		var list []json.RawMessage
		if err := json.Unmarshal([]byte(notes), &list); err != nil {
			return nil, fmt.Errorf("sticky notes: %w", err)
		}
		for _, note := range list {
			out = append(out, note)
		}
	}
	return out, nil
}

func exportNode(s *engine.Step) (json.RawMessage, error) {
	var n node
	text := []byte(s.Config)
	if err := json.Unmarshal(text, &n); err != nil {
		return nil, err
	}
	var all error
	set := func(path string, was, is any) {
		changed, err := refit.Set(text, path, was, is)
		text, all = changed, errors.Join(all, err)
	}
	if s.X != nil && s.Y != nil {
		set("position.x", n.Position.X, *s.X)
		set("position.y", n.Position.Y, *s.Y)
	}
	set("data.label", n.label(), s.Name)
	return text, all
}

// exportEdges are the edges of all paths that were edges, and new ones between nodes.
func exportEdges(w *engine.Workflow) []any {
	var paths []*engine.Path
	for i := range w.Paths {
		p := &w.Paths[i]
		if p.Kind == engine.Next && p.Extra[propertyGenerated] == nil {
			paths = append(paths, p)
		}
	}
	sort.SliceStable(paths, func(i, j int) bool { return place(paths[i].Extra) < place(paths[j].Extra) })
	out := []any{}
	for _, p := range paths {
		if text, ok := p.Extra[propertyEdge].(string); ok {
			out = append(out, json.RawMessage(text))
			continue
		}
		e := inputs.Of("id", p.ID, "source", p.Source, "target", p.Target, "type", "agentFlow")
		for _, port := range []struct{ property, field string }{{propertyFromPort, "sourceHandle"}, {propertyToPort, "targetHandle"}} {
			if name, ok := p.Extra[port.property].(string); ok {
				e = e.With(port.field, name)
			}
		}
		out = append(out, e)
	}
	return out
}

// place is where a step or path stood in the document; what has no place comes last.
func place(extra map[string]any) float64 {
	switch n := extra[propertyOrder].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case int:
		return float64(n)
	}
	return 1 << 30
}

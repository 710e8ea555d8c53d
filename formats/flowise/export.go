package flowise

import (
	"encoding/json"
	"errors"
	"fmt"

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
	out := []any{}
	for _, s := range refit.Nodes(w) {
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
	out := []any{}
	for _, p := range refit.Edges(w, refit.IsEdge) {
		out = append(out, refit.Edge(p, inputs.Of("type", "agentFlow")))
	}
	return out
}

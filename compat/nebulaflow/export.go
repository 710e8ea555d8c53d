package nebulaflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// ErrNotAFlow is returned for a workflow that does not come from a file of NebulaFlow.
var ErrNotAFlow = errors.New("not a flow of NebulaFlow")

// Export converts a workflow back to a NebulaFlow file. Nodes and edges keep their other
// fields; titles, positions, approval, bypass and active come from the workflow, and new paths
// between nodes become edges. Problems name what a file cannot express; the returned file is
// then the closest one.
func Export(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	if w.Extra[propertyFormat] != Format {
		return nil, nil, fmt.Errorf("workflow %q: %w", w.ID, ErrNotAFlow)
	}
	nodes, err := exportNodes(w)
	if err != nil {
		return nil, nil, err
	}
	drawn := refit.Draw(w, func(s *engine.Step) (any, string) { return draw(w, s) })
	edges := edgesOf(w, refit.Edges(w, refit.IsEdge))
	all := []any{}
	for _, n := range nodes {
		all = append(all, n)
	}
	beside, _ := w.Extra[propertySource].(string)
	var top struct{ Outputs []json.RawMessage }
	_ = json.Unmarshal([]byte(beside), &top) // Join names what is wrong with it
	whole := func(nodes []any, edges []any) ([]byte, error) {
		content := inputs.Of("nodes", nodes, "edges", edges)
		if top.Outputs != nil {
			content = inputs.Of("id", w.ID, "title", w.Name, "graph", content)
		}
		return refit.Join(content, beside)
	}
	text, err := whole(slices.Concat(all, drawn.Nodes), edges)
	if err != nil {
		return nil, nil, err
	}
	d := refit.Dialect{Parse: compiled, Drawn: drawn, Fields: fieldsOf}
	if old, fewer := refit.Drawn(refit.Edges(w, refit.IsEdge)); fewer || len(drawn.Nodes) > 0 {
		if d.Before, err = whole(all, edgesOf(w, old)); err != nil {
			return nil, nil, err
		}
	}
	text, problems := refit.Fit(w, text, d)
	return text, problems, nil
}

// compiled is the workflow a file compiles to.
func compiled(text []byte) (*engine.Workflow, error) {
	file, err := Parse("export.json", text)
	if err != nil {
		return nil, err
	}
	return &file.Workflows[0], nil
}

// exportNodes are the nodes of all steps that were nodes, in the order of the file.
func exportNodes(w *engine.Workflow) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, s := range refit.Nodes(w) {
		text, err := exportNode(s)
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		out = append(out, text)
	}
	return out, nil
}

func exportNode(s *engine.Step) (json.RawMessage, error) {
	n := nodeOf(s)
	text := []byte(s.Config)
	var all error
	set := func(path string, was, is any) {
		changed, err := refit.Set(text, path, was, is)
		text, all = changed, errors.Join(all, err)
	}
	if s.X != nil && s.Y != nil {
		set("position.x", n.Position.X, *s.X)
		set("position.y", n.Position.Y, *s.Y)
	}
	set("data.title", n.title(), s.Name)
	set("data.bypass", n.Data.Bypass, s.Bypass)
	set("data.active", n.active(), !s.Inactive)
	if n.Type == kindCLI {
		set("data.needsUserApproval", n.Data.Approval, s.Approval)
	}
	return text, all
}

// edgesOf are the edges of paths, with the handles that an editor gives those drawn since.
func edgesOf(w *engine.Workflow, paths []*engine.Path) []any {
	out := []any{}
	for _, p := range paths {
		out = append(out, refit.Edge(p, handles(w, p, paths)))
	}
	return out
}

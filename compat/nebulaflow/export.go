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
	nodes, err := refit.Write(w, exportNode)
	if err != nil {
		return nil, nil, err
	}
	drawn := refit.Draw(w, func(s *engine.Step) (any, string) { return draw(w, s) })
	edges := edgesOf(w, refit.Edges(w, refit.IsEdge))
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
	text, err := whole(slices.Concat(nodes, drawn.Nodes), edges)
	if err != nil {
		return nil, nil, err
	}
	d := refit.Dialect{Parse: refit.First(Parse), Drawn: drawn, Fields: fieldsOf}
	if old, fewer := refit.Drawn(refit.Edges(w, refit.IsEdge)); fewer || len(drawn.Nodes) > 0 {
		if d.Before, err = whole(nodes, edgesOf(w, old)); err != nil {
			return nil, nil, err
		}
	}
	text, problems := refit.Fit(w, text, d)
	return text, problems, nil
}

func exportNode(s *engine.Step) (json.RawMessage, error) {
	n := nodeOf(s)
	edit := refit.Edit{Text: []byte(s.Config)}
	edit.Move(n.Position, s)
	edit.Set("data.title", n.title(), s.Name)
	edit.Set("data.bypass", n.Data.Bypass, s.Bypass)
	edit.Set("data.active", n.active(), !s.Inactive)
	if n.Type == kindCLI {
		edit.Set("data.needsUserApproval", n.Data.Approval, s.Approval)
	}
	return edit.Text, edit.Err
}

// edgesOf are the edges of paths, with the handles that an editor gives those drawn since.
func edgesOf(w *engine.Workflow, paths []*engine.Path) []any {
	out := []any{}
	for _, p := range paths {
		out = append(out, refit.Edge(p, handles(w, p, paths)))
	}
	return out
}

package callcentre

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// ErrNotAGraph is returned for a workflow that does not come from a call-centre graph.
var ErrNotAGraph = errors.New("not a call-centre graph")

// Export converts a workflow back to a graph. Nodes keep their other fields; labels,
// positions, integration settings and the tools of agents come from the workflow. Problems
// name what a graph cannot express; the returned graph is then the closest one.
func Export(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	if w.Extra[propertyFormat] != Format {
		return nil, nil, fmt.Errorf("workflow %q: %w", w.ID, ErrNotAGraph)
	}
	drawn := refit.Draw(w, func(s *engine.Step) (any, string) { return draw(w, s) })
	whole := func(added bool) ([]byte, error) {
		var more []any
		if added {
			more = drawn.Nodes
		}
		nodes, err := exportNodes(w, more, added)
		if err != nil {
			return nil, err
		}
		edges, err := exportEdges(w, added)
		if err != nil {
			return nil, err
		}
		beside, _ := w.Extra[propertyFile].(string)
		return refit.Join(inputs.Of("nodes", nodes, "edges", edges), beside)
	}
	text, err := whole(true)
	if err != nil {
		return nil, nil, err
	}
	d := refit.Dialect{Parse: refit.First(Parse), Drawn: drawn}
	if len(drawn.Nodes) > 0 {
		if d.Before, err = whole(false); err != nil {
			return nil, nil, err
		}
	}
	text, problems := refit.Fit(w, text, d)
	return text, problems, nil
}

// A placed is a node or edge and its place in the file; one without a place comes last.
type placed struct {
	order float64
	text  json.RawMessage
}

func inOrder(list []placed) []json.RawMessage {
	sort.SliceStable(list, func(i, j int) bool { return list[i].order < list[j].order })
	out := []json.RawMessage{}
	for _, p := range list {
		out = append(out, p.text)
	}
	return out
}

// exportNodes are the nodes of the steps, with those that were added. drawnToo says that agents also
// get the handles of paths that were drawn since.
func exportNodes(w *engine.Workflow, added []any, drawnToo bool) ([]json.RawMessage, error) {
	var list []placed
	for _, node := range added {
		list = append(list, placed{1 << 30, json.RawMessage(inputs.Encode(node))})
	}
	for _, s := range refit.Nodes(w) {
		text, err := exportNode(s)
		if err == nil && drawnToo {
			text, err = withHandles(w, s, text)
		}
		if err != nil {
			return nil, fmt.Errorf("step %q: %w", s.ID, err)
		}
		list = append(list, placed{refit.Place(s.Extra), text})
	}
	return withCanvas(w, list, func(c canvas) []canvasItem { return c.Nodes })
}

// withCanvas puts in what the file shows and nothing runs.
func withCanvas(w *engine.Workflow, list []placed, part func(canvas) []canvasItem) ([]json.RawMessage, error) {
	if text, ok := w.Extra[propertyCanvas].(string); ok {
		var c canvas
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			return nil, fmt.Errorf("%s of the workflow: %w", propertyCanvas, err)
		}
		for _, item := range part(c) {
			list = append(list, placed{float64(item.Order), item.JSON})
		}
	}
	return inOrder(list), nil
}

// exportNode is the node of a step with what the workflow says of it now.
func exportNode(s *engine.Step) (json.RawMessage, error) {
	var n node
	if err := json.Unmarshal([]byte(s.Config), &n); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	edit := refit.Edit{Text: []byte(s.Config)}
	edit.Move(n.Position, s)
	if s.Name != or(n.Data.Label, n.Data.AgentName) {
		edit.Set("data.label", n.Data.Label, s.Name)
	}
	if kinds[n.Type] == kindIntegration {
		for _, f := range sourceFields {
			var in map[string]json.RawMessage
			var is string
			if json.Unmarshal([]byte(s.Input), &in) != nil || json.Unmarshal(in[f.input], &is) != nil {
				continue // absent, or no plain text: Compare tells
			}
			edit.Set("data."+f.data, f.of(&n.Data), is)
		}
	}
	return edit.Text, edit.Err
}

func exportEdges(w *engine.Workflow, added bool) ([]json.RawMessage, error) {
	var list []placed
	for i := range w.Paths {
		p := &w.Paths[i]
		if _, drawn := p.Extra[propertyEdge].(string); p.Kind != engine.Tool || !drawn && !added {
			continue
		}
		text, err := exportEdge(w, p)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", p.ID, err)
		}
		list = append(list, placed{refit.Place(p.Extra), text})
	}
	return withCanvas(w, list, func(c canvas) []canvasItem { return c.Edges })
}

// exportEdge is the edge of a TOOL path, one drawn since included.
func exportEdge(w *engine.Workflow, p *engine.Path) (json.RawMessage, error) {
	text, drawn := p.Extra[propertyEdge].(string)
	if !drawn {
		e := inputs.Of("id", p.ID, "source", p.Source, "target", p.Target)
		if _, prefix := handlesOf(w, p.Source); prefix != "" {
			e = e.With("sourceHandle", prefix+labelIn(w, p.Target))
		}
		return json.RawMessage(inputs.Encode(e.With("animated", true))), nil
	}
	var e edge
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return nil, fmt.Errorf("%s: %w", propertyEdge, err)
	}
	out, err := refit.Set([]byte(text), "source", e.Source, p.Source)
	if err != nil {
		return nil, err
	}
	return refit.Set(out, "target", e.Target, p.Target)
}

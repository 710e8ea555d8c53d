package agentzero

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// edges are the edges of all paths between nodes, in the order of the file, new ones last.
func (x *exporter) edges(paths []*engine.Path) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, p := range paths {
		text, err := x.edge(p)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", p.ID, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// isEdge reports whether a path was an edge, including CONTAINS paths, which were edges from a
// group to its children.
func isEdge(p *engine.Path) bool {
	_, drawn := p.Extra[propertyEdge].(string)
	return drawn || refit.IsEdge(p)
}

// edge returns the edge of a path. A path to a generated step in front of a node is an edge to
// the node; a path from a group may be an edge from one of its children.
func (x *exporter) edge(p *engine.Path) (json.RawMessage, error) {
	target := x.behind(p.Target)
	text, drawn := p.Extra[propertyEdge].(string)
	if !drawn {
		return json.RawMessage(inputs.Encode(x.newEdge(p, target))), nil
	}
	var e edge
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return nil, fmt.Errorf("%s: %w", propertyEdge, err)
	}
	source := p.Source
	if x.contains(p.Source, e.Source) {
		source = e.Source
	}
	out, first := refit.Set([]byte(text), "source", e.Source, source)
	if first != nil {
		return nil, first
	}
	out, second := refit.Set(out, "target", e.Target, target)
	return out, errors.Join(first, second)
}

// newEdge returns the edge of a path that was added after the import. An edge out of a
// condition starts at the handle that the path's condition names.
func (x *exporter) newEdge(p *engine.Path, target string) inputs.Object {
	e := inputs.Of("id", p.ID, "source", p.Source, "target", target)
	if handle := branchOf(p); handle != "" {
		e = e.With("sourceHandle", handle)
	}
	return e
}

// branchOf returns the result of a condition step for which a path is taken, "" for neither.
func branchOf(p *engine.Path) string {
	text, _ := p.Condition.(string)
	var clause map[string]string
	if json.Unmarshal([]byte(text), &clause) != nil || len(clause) != 1 {
		return ""
	}
	for _, handle := range []string{"true", "false"} {
		if clause[handle] == inputs.Ref(p.Source+".result") {
			return handle
		}
	}
	return ""
}

// behind returns the node that a generated step prepares, or the step itself.
func (x *exporter) behind(step string) string {
	if s := x.steps[step]; s == nil || s.Extra[propertyGenerated] == nil || x.next[step] == "" {
		return step
	}
	return x.next[step]
}

func (x *exporter) contains(group, step string) bool { return x.held[[2]string{group, step}] }

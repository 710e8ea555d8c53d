package flowise

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
)

// ErrNotAFlow is returned for a workflow that does not come from a document of Flowise.
var ErrNotAFlow = errors.New("not an agentflow of Flowise")

// Export converts a workflow back to a Flowise document. Nodes and edges keep their other
// fields; labels and positions come from the workflow, and new paths between nodes become
// edges. Problems name what a document cannot express; the returned document is then the
// closest one.
func Export(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	if w.Extra[propertyFormat] != Format {
		return nil, nil, fmt.Errorf("workflow %q: %w", w.ID, ErrNotAFlow)
	}
	nodes, err := exportNodes(w)
	if err != nil {
		return nil, nil, err
	}
	paths := refit.Edges(w, refit.IsEdge)
	drawn := refit.Draw(w, func(s *engine.Step) (any, string) { return draw(w, s) })
	text, err := join(w, inputs.Of("nodes", slices.Concat(nodes, drawn.Nodes), "edges", exportEdges(w, paths)))
	if err != nil {
		return nil, nil, err
	}
	write := func(text string) []string { return writeReferences(w, text) }
	d := refit.Dialect{Parse: refit.First(Parse), Write: write, Drawn: drawn, Fields: fieldsOf, Values: &refit.Values{Is: computesValues, Name: nameValues}}
	if old, fewer := refit.Drawn(paths); fewer || len(drawn.Nodes) > 0 {
		if d.Before, err = join(w, inputs.Of("nodes", nodes, "edges", exportEdges(w, old))); err != nil {
			return nil, nil, err
		}
	}
	text, problems := refit.Fit(w, text, d)
	return text, problems, nil
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
	out, err := refit.Write(w, exportNode)
	if err != nil {
		return nil, err
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
	edit := refit.Edit{Text: []byte(s.Config)}
	if err := json.Unmarshal(edit.Text, &n); err != nil {
		return nil, err
	}
	edit.Move(n.Position, s)
	edit.Set("data.label", n.label(), s.Name)
	return edit.Text, edit.Err
}

// exportEdges are the edges of all paths that were edges, and new ones between nodes.
func exportEdges(w *engine.Workflow, paths []*engine.Path) []any {
	out := []any{}
	for _, p := range paths {
		if _, drawn := p.Extra[refit.EdgeText].(string); drawn {
			out = append(out, refit.Edge(p, nil))
		} else {
			out = append(out, drawnSince(w, p))
		}
	}
	return out
}

// branchOf finds the branch of a decision that a path's condition asks for.
var branchOf = regexp.MustCompile(`\.branches\.(\d+)`)

// drawnSince is the edge of a path that was drawn here, with the handles, id and data that
// Flowise's own editor gives one.
func drawnSince(w *engine.Workflow, p *engine.Path) inputs.Object {
	source := kindIn(w, p.Source)
	branch := branchAsked(source, p.Condition)
	anchor := source
	if branch != "" {
		anchor = branch
	}
	handle, _ := p.Extra[propertyFromPort].(string)
	if handle == "" {
		handle = p.Source + "-output-" + anchor
	}
	data := inputs.Of("sourceColor", colors[source], "targetColor", colors[kindIn(w, p.Target)], "isHumanInput", source == kindHumanInput)
	switch {
	case branch != "" && source == kindHumanInput:
		data = data.With("edgeLabel", map[string]string{"0": "proceed", "1": "reject"}[branch])
	case branch != "":
		data = data.With("edgeLabel", branch)
	}
	return inputs.Of("id", p.Source+"-"+handle+"-"+p.Target+"-"+p.Target, "type", "agentFlow", "source", p.Source, "sourceHandle", handle,
		"target", p.Target, "targetHandle", p.Target, "data", data)
}

// branchAsked is the branch of a deciding node that a path's condition asks for, "" for none.
func branchAsked(kind string, condition any) string {
	text, ok := condition.(string)
	if !ok {
		b, _ := json.Marshal(condition)
		text = string(b)
	}
	if m := branchOf.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	switch {
	case kind != kindHumanInput || !strings.Contains(text, ".confirmed"):
		return ""
	case strings.Contains(text, `"false"`):
		return "1"
	}
	return "0"
}

// kindIn is the kind of the node that a step was.
func kindIn(w *engine.Workflow, step string) string {
	var n node
	s := w.Step(step)
	if s != nil && s.Config == "" {
		return drawnKinds[s.Function]
	}
	if s == nil || json.Unmarshal([]byte(s.Config), &n) != nil {
		return ""
	}
	return n.kind()
}

// colors are those of Flowise's nodes, which its edges run between.
var colors = map[string]string{"startAgentflow": "#7EE787", "llmAgentflow": "#64B5F6", "agentAgentflow": "#4DD0E1", "conditionAgentflow": "#FFB938",
	"conditionAgentAgentflow": "#ff8fab", "humanInputAgentflow": "#6E6EFD", "loopAgentflow": "#FFA07A", "directReplyAgentflow": "#4DDBBB",
	"customFunctionAgentflow": "#E4B7FF", "toolAgentflow": "#d4a373", "retrieverAgentflow": "#b8bedd", "httpAgentflow": "#FF7F7F",
	"iterationAgentflow": "#9C89B8", "executeFlowAgentflow": "#a3b18a"}

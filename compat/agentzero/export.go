package agentzero

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/compat/refit"
	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/sjson"
)

// topLevel returns the fields of a flow that the workflow does not represent: everything but
// nodes, edges, name and description, such as viewport.
func topLevel(src []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(src, &all) != nil {
		return "{}"
	}
	for _, key := range []string{"nodes", "edges", "name", "description"} {
		delete(all, key)
	}
	text, _ := json.Marshal(all) // raw JSON that was read from JSON
	return string(text)
}

// ErrNotAFlow is returned for a workflow that does not come from a flow of Agent Zero.
var ErrNotAFlow = errors.New("not a flow of Agent Zero")

// Export converts a workflow back to a flow in its original notation. Nodes keep their other
// fields; labels, positions, prompts, models, profiles, strategies, expressions and edges come
// from the workflow. Problems name what a flow cannot express; the returned flow is then the
// closest one.
func Export(w *engine.Workflow) ([]byte, []engine.Problem, error) {
	if w.Extra[propertyFormat] != Format {
		return nil, nil, fmt.Errorf("workflow %q: %w", w.ID, ErrNotAFlow)
	}
	x := newExporter(w)
	nodes, err := refit.Write(w, x.node)
	if err != nil {
		return nil, nil, err
	}
	beside, _ := w.Extra[propertyFlow].(string)
	whole := func(nodes []any, paths []*engine.Path) ([]byte, error) {
		edges, err := x.edges(paths)
		if err != nil {
			return nil, err
		}
		return refit.Join(inputs.Of("name", w.Name, "description", w.Description, "nodes", nodes, "edges", edges), beside)
	}
	paths, drawn := refit.Edges(w, isEdge), refit.Draw(w, x.draw)
	text, err := whole(slices.Concat(nodes, drawn.Nodes), paths)
	if err != nil {
		return nil, nil, err
	}
	d := refit.Dialect{Parse: compiled, Drawn: drawn}
	if old, fewer := refit.Drawn(paths); fewer || len(drawn.Nodes) > 0 {
		if d.Before, err = whole(nodes, old); err != nil {
			return nil, nil, err
		}
	}
	text, problems := refit.Fit(withoutImplied(w), text, d)
	return text, problems, nil
}

// compiled returns the workflow that a flow compiles to.
func compiled(text []byte) (*engine.Workflow, error) {
	w, err := refit.First(Parse)(text)
	if err != nil {
		return nil, err
	}
	return withoutImplied(w), nil
}

// withoutImplied removes the fields that agents have only because of others: a person who
// changes a group's strategy, or gives an agent a profile, changes only that.
func withoutImplied(w *engine.Workflow) *engine.Workflow {
	out := *w
	out.Steps = slices.Clone(w.Steps)
	for i := range out.Steps {
		if s := &out.Steps[i]; s.Function == "agent.agentzero" {
			for _, field := range []string{fieldEmptyError, fieldProfileOptional} {
				if text, err := sjson.Delete(s.Input, field); err == nil {
					s.Input = text
				}
			}
		}
	}
	return &out
}

type exporter struct {
	w     *engine.Workflow
	steps map[string]*engine.Step
	next  map[string]string  // the target of the first NEXT path out of a step
	held  map[[2]string]bool // steps by the group they are in
}

func newExporter(w *engine.Workflow) *exporter {
	x := &exporter{w: w, steps: map[string]*engine.Step{}, next: map[string]string{}, held: map[[2]string]bool{}}
	for i := range w.Steps {
		if s := &w.Steps[i]; x.steps[s.ID] == nil {
			x.steps[s.ID] = s
		}
	}
	for i := range w.Paths {
		switch p := &w.Paths[i]; {
		case p.Kind == engine.Contains:
			x.held[[2]string{p.Source, p.Target}] = true
		case p.Kind == engine.Next && x.next[p.Source] == "":
			x.next[p.Source] = p.Target
		}
	}
	return x
}

// node is the node of a step with what the workflow says of it now.
func (x *exporter) node(s *engine.Step) (json.RawMessage, error) {
	var n node
	if err := json.Unmarshal([]byte(s.Config), &n); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	edit := refit.Edit{Text: []byte(s.Config)}
	px, py := x.place(s, n.ParentID)
	edit.Set("position.x", n.Position.X, px)
	edit.Set("position.y", n.Position.Y, py)
	edit.Set("data.label", n.Data.Label, s.Name)
	for _, c := range x.edited(s, &n) {
		edit.Set("data."+c.field, c.was, c.is)
	}
	return edit.Text, edit.Err
}

// place is the position of the node in the file: children relative to their group.
func (x *exporter) place(s *engine.Step, parent string) (px, py float64) {
	if s.X != nil && s.Y != nil {
		px, py = *s.X, *s.Y
	}
	if g := x.steps[parent]; parent != "" && g != nil && g.X != nil && g.Y != nil {
		px, py = px-*g.X, py-*g.Y
	}
	return px, py
}

// A change is one field of a node's data that a step's input also contains, with its old and
// new value.
type change struct {
	field   string
	was, is any
}

// edited are the fields of a node's data by what its step says now.
func (x *exporter) edited(s *engine.Step, n *node) []change {
	var in struct {
		Template   json.RawMessage `json:"template"`
		Prompt     json.RawMessage `json:"prompt"`
		Model      json.RawMessage `json:"model"`
		Profile    json.RawMessage `json:"profile"`
		Merge      string          `json:"merge"`
		AtOnce     int             `json:"concurrency"`
		Expression json.RawMessage `json:"expression"`
	}
	if json.Unmarshal([]byte(s.Input), &in) != nil {
		return nil
	}
	switch kinds[n.Type] {
	case kindInput:
		if n.fixed() {
			return []change{{"fixedPrompt", n.Data.FixedPrompt, plain(in.Template)}}
		}
	case kindAgent:
		key := "systemPromptOverride"
		if n.Data.PromptOverride != "" {
			key = "promptOverride"
		}
		out := []change{{"model", strings.TrimSpace(n.Data.Model), plain(in.Model)}}
		if is := plain(in.Profile); is != n.profile() {
			out = append(out, change{"agentProfile", n.profile(), is})
		}
		if is := overrideOf(in.Prompt); is != n.override() {
			out = append(out, change{key, n.override(), is})
		}
		return out
	case kindGroup:
		if s.Function != "group" {
			return nil
		}
		out := []change{{"mergeStrategy", n.merge(), in.Merge}}
		if n.children = make([]*node, x.children(s.ID)); in.AtOnce != n.concurrency() {
			out = append(out, change{"concurrency", n.Data.Concurrency, in.AtOnce})
		}
		return out
	case kindCondition:
		return []change{{"expression", strings.TrimSpace(n.Data.Expression), plain(in.Expression)}}
	}
	return nil
}

// children counts the steps in a group.
func (x *exporter) children(group string) (count int) {
	for held := range x.held {
		if held[0] == group {
			count++
		}
	}
	return count
}

// plain is a text that may stand as @literal.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var literal struct {
		Text string `json:"@literal"`
	}
	_ = json.Unmarshal(value, &literal) // values of other types are reported by Compare
	return literal.Text
}

// overrideOf returns the text before an agent's input.
func overrideOf(prompt json.RawMessage) string {
	var joined struct {
		Parts []json.RawMessage `json:"@text"`
	}
	if json.Unmarshal(prompt, &joined) != nil || len(joined.Parts) < 2 {
		return ""
	}
	return plain(joined.Parts[0])
}

package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine/function"
	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
	"github.com/stepgraph/stepgraph/internal/sorting"
)

// workflows are read and edited.
type workflows struct{ *data }

// Workflows returns the existing ones, each once, in id order. It ignores entries, because a
// step without a workflow is put into default at once.
func (s workflows) Workflows(ctx context.Context, ids []string, _ map[string][]string) ([]*graph.Workflow, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []*graph.Workflow
	for _, id := range sortedIDs(ids) {
		if _, ok := s.workflows[id]; ok {
			out = append(out, s.workflow(id))
		}
	}
	return out, nil
}

// WorkflowIDs lists workflows in id order.
func (s workflows) WorkflowIDs(ctx context.Context) ([]store.WorkflowInfo, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []store.WorkflowInfo
	for id, w := range s.workflows {
		name, _ := w.properties["name"].(string)
		description, _ := w.properties["description"].(string)
		out = append(out, store.WorkflowInfo{ID: id, Name: name, Description: description, Steps: len(w.steps)})
	}
	sorting.By(out, func(a, b *store.WorkflowInfo) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// workflow reads one workflow; an empty one when it is not there.
func (s workflows) workflow(id string) *graph.Workflow {
	out := &graph.Workflow{ID: id}
	w := s.workflows[id]
	if w == nil {
		return out
	}
	readProperties(out, w.properties)
	seen := make(map[string]bool, len(w.steps))
	for _, n := range w.steps {
		read, problems := graph.StepFromProperties(cloneProperties(n.properties))
		out.Problems = append(out.Problems, problems...)
		if seen[read.ID] {
			out.Problems = append(out.Problems, function.Problem{Level: "error", Step: read.ID, Code: "duplicate_step",
				Message: fmt.Sprintf("two steps have the id %q: one of them is used, give the other an id of its own", read.ID)})
			continue
		}
		seen[read.ID] = true
		out.Steps = append(out.Steps, read)
	}
	for ref, p := range w.paths {
		read, problems := graph.PathFromProperties(p.kind, p.from.id(), p.to.id(), cloneProperties(p.properties))
		out.Problems = append(out.Problems, problems...)
		read.Ref = ref
		if p.to.workflow != id {
			read.TargetWorkflow = p.to.workflow
		}
		out.Paths = append(out.Paths, read)
	}
	out.Normalize()
	return out
}

// readProperties decodes the properties of a WORKFLOW node.
func readProperties(out *graph.Workflow, properties map[string]any) {
	for name, v := range cloneProperties(properties) {
		text, isText := v.(string)
		switch {
		case name == "name" && isText:
			out.Name = text
		case name == "description" && isText:
			out.Description = text
		case name == "settings" && isText && json.Unmarshal([]byte(text), &out.Settings) == nil:
		default:
			if name == "settings" || name == "name" || name == "description" {
				out.Problems = append(out.Problems, function.Problem{Level: "error", Code: "property_type",
					Message: fmt.Sprintf("property %s of the workflow cannot be read: it is kept but not used", name)})
			}
			if out.Extra == nil {
				out.Extra = make(map[string]any)
			}
			out.Extra[name] = v
		}
	}
}

// writeProperties encodes the properties of a WORKFLOW node.
func writeProperties(w *graph.Workflow) (map[string]any, error) {
	p := cloneProperties(w.Extra)
	if w.Name != "" {
		p["name"] = w.Name
	}
	if w.Description != "" {
		p["description"] = w.Description
	}
	if !w.Settings.IsZero() {
		text, err := json.Marshal(w.Settings)
		if err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		p["settings"] = string(text)
	}
	return p, nil
}

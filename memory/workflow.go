package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
)

// A workflow holds the nodes of one workflow as a graph database does: properties as they were
// put, decoded at each read, so that a property of a wrong type is a problem here as on Neo4j.
type workflow struct {
	properties map[string]any // of the WORKFLOW node; nil when there is none
	steps      []*step
	first      map[string]*step // for each id, the first of its steps
	paths      map[string]*path // from its steps, by Ref
}

func newWorkflow() *workflow {
	return &workflow{first: make(map[string]*step), paths: make(map[string]*path)}
}

func (w *workflow) add(n *step) {
	w.steps = append(w.steps, n)
	if id := n.id(); w.first[id] == nil {
		w.first[id] = n
	}
}

// remove removes all steps with these ids and returns them.
func (w *workflow) remove(ids []string) map[*step]bool {
	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
		delete(w.first, id)
	}
	gone := make(map[*step]bool)
	w.steps = slices.DeleteFunc(w.steps, func(n *step) bool {
		if named[n.id()] {
			gone[n] = true
		}
		return gone[n]
	})
	return gone
}

// A step is one STEP node. Two may have the same id.
type step struct {
	workflow   string
	properties map[string]any
}

func (n *step) id() string {
	id, _ := n.properties["id"].(string)
	return id
}

// A path is one relationship.
type path struct {
	kind       engine.PathKind
	from, to   *step
	properties map[string]any
}

// Workflows returns the existing ones, each once, in id order. It ignores entries, because a
// step without a workflow is put into default at once.
func (s *Store) Workflows(ctx context.Context, ids []string, _ map[string][]string) ([]*engine.Workflow, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []*engine.Workflow
	for _, id := range sortedIDs(ids) {
		if _, ok := s.workflows[id]; ok {
			out = append(out, s.workflow(id))
		}
	}
	return out, nil
}

// WorkflowIDs lists workflows in id order.
func (s *Store) WorkflowIDs(ctx context.Context) ([]engine.WorkflowInfo, error) {
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var out []engine.WorkflowInfo
	for id, w := range s.workflows {
		name, _ := w.properties["name"].(string)
		description, _ := w.properties["description"].(string)
		out = append(out, engine.WorkflowInfo{ID: id, Name: name, Description: description, Steps: len(w.steps)})
	}
	slices.SortFunc(out, func(a, b engine.WorkflowInfo) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// workflow reads one workflow; an empty one when it is not there.
func (s *Store) workflow(id string) *engine.Workflow {
	out := &engine.Workflow{ID: id}
	w := s.workflows[id]
	if w == nil {
		return out
	}
	readProperties(out, w.properties)
	seen := make(map[string]bool, len(w.steps))
	for _, n := range w.steps {
		read, problems := engine.StepFromProperties(cloneProperties(n.properties))
		out.Problems = append(out.Problems, problems...)
		if seen[read.ID] {
			out.Problems = append(out.Problems, engine.Problem{Level: "error", Step: read.ID, Code: "duplicate_step",
				Message: fmt.Sprintf("two steps have the id %q: one of them is used, give the other an id of its own", read.ID)})
			continue
		}
		seen[read.ID] = true
		out.Steps = append(out.Steps, read)
	}
	for ref, p := range w.paths {
		read, problems := engine.PathFromProperties(p.kind, p.from.id(), p.to.id(), cloneProperties(p.properties))
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
func readProperties(out *engine.Workflow, properties map[string]any) {
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
				out.Problems = append(out.Problems, engine.Problem{Level: "error", Code: "property_type",
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
func writeProperties(w *engine.Workflow) (map[string]any, error) {
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

package memory

import (
	"context"
	"fmt"
	"strconv"

	"github.com/stepgraph/stepgraph/engine/graph"
	"github.com/stepgraph/stepgraph/engine/store"
)

// A Hand puts nodes into a store past its methods. A step without workflow is filed at once,
// and again when a path leads to it: memory has no other moment.
type Hand struct {
	Store *Store
	Loose map[string]bool // ids of steps that were pasted without workflow
}

// Step adds a node, even with an id that is there.
func (h Hand) Step(_ context.Context, properties map[string]any) error {
	h.Store.mu.Lock()
	defer h.Store.mu.Unlock()
	p := cloneProperties(properties)
	if p["workflow"] == nil {
		p["workflow"] = graph.DefaultWorkflow
		h.Loose[p["id"].(string)] = true
	}
	id := p["workflow"].(string)
	if h.Store.data.workflows[id] == nil {
		h.Store.data.workflows[id] = newWorkflow()
	}
	h.Store.data.workflows[id].add(&step{workflow: id, properties: p})
	return nil
}

// Path adds a path between the first steps of two ids.
func (h Hand) Path(_ context.Context, kind graph.PathKind, source, target string, properties map[string]any) error {
	h.Store.mu.Lock()
	defer h.Store.mu.Unlock()
	from, to := h.find(source), h.find(target)
	if from == nil || to == nil {
		return fmt.Errorf("no steps %s and %s", source, target)
	}
	h.Store.refs++
	h.Store.data.workflows[from.workflow].paths[strconv.Itoa(h.Store.refs)] = &path{kind: kind, from: from, to: to, properties: cloneProperties(properties)}
	h.file(from, to)
	return nil
}

// file puts a loose step, and those that only it leads to, into the workflow of the step that
// leads to it.
func (h Hand) file(from, to *step) {
	if !h.Loose[to.id()] || to.workflow != graph.DefaultWorkflow || from.workflow == graph.DefaultWorkflow {
		return
	}
	old, now := h.Store.data.workflows[to.workflow], h.Store.data.workflows[from.workflow]
	old.remove([]string{to.id()})
	to.workflow, to.properties["workflow"] = from.workflow, from.workflow
	now.add(to)
	for ref, p := range old.paths {
		if p.from == to {
			delete(old.paths, ref)
			now.paths[ref] = p
			h.file(to, p.to)
		}
	}
}

func (h Hand) find(id string) *step {
	for _, w := range h.Store.data.workflows {
		for _, n := range w.steps {
			if n.id() == id {
				return n
			}
		}
	}
	return nil
}

// Workflow adds a WORKFLOW node.
func (h Hand) Workflow(_ context.Context, properties map[string]any) error {
	h.Store.mu.Lock()
	defer h.Store.mu.Unlock()
	p := cloneProperties(properties)
	id := p["id"].(string)
	delete(p, "id")
	h.Store.data.workflows[id] = newWorkflow()
	h.Store.data.workflows[id].properties = p
	return nil
}

// Session adds a session with nothing but an id and a state.
func (h Hand) Session(_ context.Context, properties map[string]any) error {
	h.Store.mu.Lock()
	defer h.Store.mu.Unlock()
	h.Store.newSession(store.NewSession{ID: properties["id"].(string), State: []byte(properties["state"].(string))})
	return nil
}

// State overwrites a state.
func (h Hand) State(_ context.Context, session, state string) error {
	h.Store.mu.Lock()
	defer h.Store.mu.Unlock()
	h.Store.data.sessions[session].record.State = []byte(state)
	return nil
}

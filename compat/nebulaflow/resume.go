package nebulaflow

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A Resume is the field resume of the message execute_workflow.
type Resume struct {
	FromNodeID string `json:"fromNodeId"`
	Seeds      Seeds  `json:"seeds"`
}

// Seeds holds results, decisions and variables of an earlier run.
type Seeds struct {
	Outputs   map[string]string `json:"outputs"`
	Decisions map[string]string `json:"decisions"`
	Variables map[string]string `json:"variables"`
}

// Request returns the start request of a session that continues an earlier run. With
// FromNodeID, that node and its successors run, and the seeds of other nodes can be read.
// Without it, all nodes with a seed count as done. An unknown node is an error in NebulaFlow's
// wording.
func (r Resume) Request(w *engine.Workflow) (engine.StartRequest, error) {
	q := engine.StartRequest{Workflow: w.ID, Outputs: map[string]json.RawMessage{}, Seeds: map[string]json.RawMessage{}}
	for name, value := range r.Seeds.Variables {
		q.Outputs[globalOf(w, name)] = encode(value)
	}
	if r.FromNodeID != "" {
		if s := w.Step(r.FromNodeID); s == nil || s.Config == "" { // a step that was added is not a node
			return q, fmt.Errorf("Resume failed: node %s not found", r.FromNodeID)
		}
		q.Entry = entryOf(w, r.FromNodeID)
	}
	bodies, again := bodiesOf(w), map[string]bool{}
	if q.Entry != "" {
		again = reachable(w, q.Entry)
	}
	steps := map[string]*engine.Step{}
	for i := range w.Steps {
		steps[w.Steps[i].ID] = &w.Steps[i]
	}
	for id, value := range r.Seeds.Outputs {
		step := steps[id]
		if step == nil {
			continue // a node that has been deleted since
		}
		output := outputOf(nodeOf(step), value, r.Seeds.Decisions[id])
		switch {
		case step.Bypass:
			q.Outputs[id] = output
		case again[id] || q.Entry == "" && bodies.unfinished(id, r.Seeds.Outputs):
		case q.Entry != "" || bodies.holder[id] != "":
			q.Outputs[id] = output
		default:
			q.Seeds[id] = output
		}
	}
	if q.Entry == "" {
		r.seedLoops(bodies, &q)
	}
	if q.Entry != "" {
		q.Taken = r.taken(w, again)
	}
	return q, nil
}

// taken are the paths that lead from what does not run again to joins that do: they count as
// taken, unless a decision that is known went another way.
func (r Resume) taken(w *engine.Workflow, again map[string]bool) (paths []string) {
	for i := range w.Paths {
		p := &w.Paths[i]
		if p.Kind != engine.Next || !again[p.Target] || again[p.Source] || w.Step(p.Target).Join != engine.JoinRequired {
			continue
		}
		decision := r.Seeds.Decisions[p.Source]
		if p.Label == "" || decision == p.Label || decision == "" && p.Extra[propertyExcuse] == nil {
			paths = append(paths, p.ID)
		}
	}
	return paths
}

// seedLoops lets each outermost loop whose end has a seed count as done.
func (r Resume) seedLoops(b bodies, q *engine.StartRequest) {
	for loop, ends := range b.ends {
		for _, end := range ends {
			if value, ok := r.Seeds.Outputs[end]; ok && b.holder[loop] == "" {
				q.Seeds[loop] = encode(map[string]any{"results": []any{}, "count": 0, "text": value})
			}
		}
	}
}

// bodies maps the steps of a workflow to the loops that contain them.
type bodies struct {
	holder map[string]string   // the loop a step lies in
	ends   map[string][]string // the loop-end nodes in a loop, by its step
}

func bodiesOf(w *engine.Workflow) bodies {
	b := bodies{holder: map[string]string{}, ends: map[string][]string{}}
	steps := map[string]*engine.Step{}
	for i := range w.Steps {
		steps[w.Steps[i].ID] = &w.Steps[i]
	}
	for i := range w.Paths {
		p := &w.Paths[i]
		if p.Kind != engine.Contains {
			continue
		}
		if b.holder[p.Target] == "" {
			b.holder[p.Target] = p.Source
		}
		if nodeOf(steps[p.Target]).Type == kindLoopEnd {
			b.ends[p.Source] = append(b.ends[p.Source], p.Target)
		}
	}
	return b
}

// outermost is the outermost loop around a step, "" where there is none.
func (b bodies) outermost(id string) string {
	loop := ""
	for at := b.holder[id]; at != ""; at = b.holder[at] {
		loop = at
	}
	return loop
}

// unfinished reports whether a node lies in a loop that had not ended: that loop begins anew.
func (b bodies) unfinished(id string, seeds map[string]string) bool {
	loop := b.outermost(id)
	for _, end := range b.ends[loop] {
		if _, done := seeds[end]; done {
			return false
		}
	}
	return loop != ""
}

// nodeOf is the node a step was made of.
func nodeOf(s *engine.Step) *node {
	n := &node{}
	if s == nil || json.Unmarshal([]byte(s.Config), n) != nil {
		return &node{} // a step that the compiler or a user added
	}
	return n
}

// entryOf is the step at which a session begins that is to run a node: the loop around it, and
// the steps that prepare its input.
func entryOf(w *engine.Workflow, id string) string {
	if loop := bodiesOf(w).outermost(id); loop != "" {
		id = loop
	}
	for found := true; found; {
		found = false
		for _, p := range w.Paths {
			if p.Kind == engine.Next && p.Target == id && p.Source != engine.DefaultEntry && p.Extra[propertyGenerated] == true {
				id, found = p.Source, true
				break
			}
		}
	}
	return id
}

// reachable are the steps a session can come to from one, bodies included.
func reachable(w *engine.Workflow, from string) map[string]bool {
	next := map[string][]string{}
	for i := range w.Paths {
		if p := &w.Paths[i]; p.Kind != engine.Tool {
			next[p.Source] = append(next[p.Source], p.Target)
		}
	}
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, target := range next[todo[0]] {
			if !seen[target] {
				seen[target] = true
				todo = append(todo, target)
			}
		}
	}
	return seen
}

// globalOf is the name under which a workflow keeps a variable of NebulaFlow.
func globalOf(w *engine.Workflow, name string) string {
	for i := range w.Steps {
		if n := nodeOf(&w.Steps[i]); n.Type == kindVariable && n.Data.VariableName == name {
			for kept := range gjson.Get(w.Steps[i].Input, "globals").Map() {
				return kept
			}
		}
	}
	return "var-" + idText(name)
}

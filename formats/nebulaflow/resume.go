package nebulaflow

import (
	"encoding/json"
	"fmt"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A Resume is the field of that name of the message execute_workflow.
type Resume struct {
	FromNodeID string `json:"fromNodeId"`
	Seeds      Seeds  `json:"seeds"`
}

// Seeds are results, decisions and variables of an earlier run.
type Seeds struct {
	Outputs   map[string]string `json:"outputs"`
	Decisions map[string]string `json:"decisions"`
	Variables map[string]string `json:"variables"`
}

// Request is the start of a session that goes on from where another run stood. With a node to
// begin at, that node and what it leads to run; seeds of others can be read. Without one, all
// that has a seed counts as done. A node that is not there is an error, worded as in
// NebulaFlow.
func (r Resume) Request(w *engine.Workflow) (engine.StartRequest, error) {
	q := engine.StartRequest{Workflow: w.ID, Outputs: map[string]json.RawMessage{}, Seeds: map[string]json.RawMessage{}}
	for name, value := range r.Seeds.Variables {
		q.Outputs[globalOf(w, name)] = encode(value)
	}
	if r.FromNodeID != "" {
		if w.Step(r.FromNodeID) == nil {
			return q, fmt.Errorf("Resume failed: node %s not found", r.FromNodeID) //nolint:staticcheck // people see NebulaFlow's words
		}
		q.Entry = entryOf(w, r.FromNodeID)
	}
	again := map[string]bool{}
	if q.Entry != "" {
		again = reachable(w, q.Entry)
	}
	for id, value := range r.Seeds.Outputs {
		step := w.Step(id)
		if step == nil {
			continue // a node that has been deleted since
		}
		output := outputOf(nodeOf(step), value, r.Seeds.Decisions[id])
		switch {
		case step.Bypass:
			q.Outputs[id] = output
		case again[id] || q.Entry == "" && unfinished(w, id, r.Seeds.Outputs):
		case q.Entry != "" || holderOf(w, id) != "":
			q.Outputs[id] = output
		default:
			q.Seeds[id] = output
		}
	}
	if q.Entry == "" {
		r.seedLoops(w, &q)
	}
	return q, nil
}

// seedLoops lets each outermost loop whose end has a seed count as done.
func (r Resume) seedLoops(w *engine.Workflow, q *engine.StartRequest) {
	for _, p := range w.Paths {
		value, ok := r.Seeds.Outputs[p.Target]
		if ok && p.Kind == engine.Contains && nodeOf(w.Step(p.Target)).Type == kindLoopEnd && holderOf(w, p.Source) == "" {
			q.Seeds[p.Source] = encode(map[string]any{"results": []any{}, "count": 0, "text": value})
		}
	}
}

// unfinished tells whether a node lies in a loop that had not ended: that loop begins anew.
func unfinished(w *engine.Workflow, id string, seeds map[string]string) bool {
	outermost := ""
	for at := holderOf(w, id); at != ""; at = holderOf(w, at) {
		outermost = at
	}
	if outermost == "" {
		return false
	}
	for _, p := range w.Paths {
		if p.Kind == engine.Contains && p.Source == outermost && nodeOf(w.Step(p.Target)).Type == kindLoopEnd {
			if _, done := seeds[p.Target]; done {
				return false
			}
		}
	}
	return true
}

// nodeOf is the node a step was made of.
func nodeOf(s *engine.Step) *node {
	n := &node{}
	if s == nil || json.Unmarshal([]byte(s.Config), n) != nil {
		return &node{} // a step the compiler added, or somebody's own
	}
	return n
}

func holderOf(w *engine.Workflow, id string) string {
	for _, p := range w.Paths {
		if p.Kind == engine.Contains && p.Target == id {
			return p.Source
		}
	}
	return ""
}

// entryOf is the step at which a session begins that is to run a node: the loop around it, and
// the steps that prepare its input.
func entryOf(w *engine.Workflow, id string) string {
	for at := holderOf(w, id); at != ""; at = holderOf(w, at) {
		id = at
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
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, p := range w.Paths {
			if p.Source == todo[0] && p.Kind != engine.Tool && !seen[p.Target] {
				seen[p.Target] = true
				todo = append(todo, p.Target)
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

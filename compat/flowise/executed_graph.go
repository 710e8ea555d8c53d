package flowise

import (
	"encoding/json"
	"slices"

	"github.com/stepgraph/stepgraph/engine"
	"github.com/tidwall/gjson"
)

// A shownNode is a node as Flowise's run records show it.
type shownNode struct {
	id, label, name string
	inputs          gjson.Result // data.inputs of the node
	holder          string       // the iteration it lies in
	parents         []string     // nodes with an edge to it, in the order of edges
	leaf            bool         // no edge leads out of it
}

// A shownGraph is a workflow seen as the flow it was compiled from.
type shownGraph struct {
	nodes map[string]*shownNode
	of    map[string]string // a generated step's node
	rank  map[string]int    // a path's place among all
	tail  map[string]string // the last of the steps that the compiler put behind a node
}

func shownGraphOf(w *engine.Workflow) *shownGraph {
	g := &shownGraph{nodes: map[string]*shownNode{}, of: map[string]string{}, rank: map[string]int{}, tail: map[string]string{}}
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Extra["generated"] != nil {
			g.of[s.ID], _ = s.Extra["of"].(string)
			continue
		}
		node := gjson.Parse(s.Config)
		name := node.Get("data.name").String()
		if name == "" {
			continue // a step that a user added to the flow
		}
		label := node.Get("data.label").String()
		if label == "" {
			label = s.Name
		}
		g.nodes[s.ID] = &shownNode{id: s.ID, label: label, name: name, inputs: node.Get("data.inputs"), leaf: true}
	}
	for i, p := range w.Paths {
		g.rank[p.ID] = i
		if n := g.nodes[p.Target]; n != nil && p.Kind == engine.Contains {
			n.holder = p.Source
		}
	}
	g.findTails(w)
	for _, n := range g.nodes {
		n.parents = g.parentsOf(w, n)
		for _, id := range n.parents {
			g.nodes[id].leaf = false
		}
	}
	return g
}

// findTails follows the steps that the compiler put behind nodes, such as those that keep the
// state, and that always run.
func (g *shownGraph) findTails(w *engine.Workflow) {
	behind := map[string]string{}
	for _, p := range w.Paths {
		if p.Kind != engine.Next || p.Condition != nil && p.Condition != "" || p.Back || g.of[p.Target] == "" {
			continue
		}
		if n := g.nodeOf(p.Source); n != nil && n.id == g.of[p.Target] {
			behind[p.Source] = p.Target
		}
	}
	for id := range g.nodes {
		for step := behind[id]; step != "" && step != g.tail[id]; step = behind[step] {
			g.tail[id] = step
		}
	}
}

// parentsOf walks back from a node over the steps the compiler added to the nodes before it.
func (g *shownGraph) parentsOf(w *engine.Workflow, n *shownNode) []string {
	out := []string{}
	seen := map[string]bool{}
	var back func(to string)
	back = func(to string) {
		for _, p := range w.Paths {
			if p.Kind != engine.Next || p.Target != to || p.Extra[propertyExcuse] != nil {
				continue
			}
			before := g.nodes[p.Source]
			switch {
			case before == nil && !seen[p.Source]:
				seen[p.Source] = true
				back(p.Source)
			case before != nil && !jumps(before, n) && !slices.Contains(out, p.Source):
				out = append(out, p.Source)
			}
		}
	}
	back(n.id)
	return out
}

// jumps reports whether a path is the way back of a loop, which is not an edge of the flow.
func jumps(from, to *shownNode) bool {
	if from.name != kindLoop {
		return false
	}
	back := from.inputs.Get("loopBackToNode").String()
	return back == to.id || len(back) > len(to.id) && back[:len(to.id)+1] == to.id+"-"
}

// nodeOf is the node a step stands for: itself, or the one the compiler added it for.
func (g *shownGraph) nodeOf(step string) *shownNode {
	if n := g.nodes[step]; n != nil {
		return n
	}
	return g.nodes[g.of[step]]
}

// fields writes a JSON object in the order its fields are given in.
type fields []byte

// raw adds a field; none when there is no value.
func (f *fields) raw(key string, value []byte) {
	if len(value) == 0 {
		return
	}
	if len(*f) == 0 {
		*f = append(*f, '{')
	} else {
		*f = append(*f, ',')
	}
	name, _ := json.Marshal(key) // a text always encodes
	*f = append(append(append(*f, name...), ':'), value...)
}

func (f *fields) set(key string, value any) { f.raw(key, plainJSON(value)) }

func (f fields) object() json.RawMessage {
	if len(f) == 0 {
		return json.RawMessage("{}")
	}
	return json.RawMessage(append(f[:len(f):len(f)], '}'))
}

// NodeOf is the node a step of a flow's workflow stands for, "" for none.
func NodeOf(w *engine.Workflow, step string) string {
	if n := shownGraphOf(w).nodeOf(step); n != nil {
		return n.id
	}
	return ""
}

package cypherfile

import "slices"

// A fileGraph is what a file has made so far. Order is that of creation.
type fileGraph struct {
	nodes     []*node
	relations []*relation
	byLabel   map[string][]*node
	byID      map[string][]*node // by the property id, where it is a text
	work      int                // things looked at so far, see maxWork
}

type node struct {
	at         int
	variable   string // what the file calls it where it is made
	labels     []string
	properties map[string]any
	out, in    []*relation
	deleted    bool
}

type relation struct {
	at         int
	kind       string
	from, to   *node
	properties map[string]any
	deleted    bool
}

func newGraph() *fileGraph {
	return &fileGraph{byLabel: map[string][]*node{}, byID: map[string][]*node{}}
}

func (g *fileGraph) createNode(at int, variable string, labels []string, properties map[string]any) *node {
	n := &node{at: at, variable: variable, properties: properties}
	g.nodes = append(g.nodes, n)
	for _, l := range labels {
		g.addLabel(n, l)
	}
	if id, ok := properties["id"].(string); ok {
		g.byID[id] = append(g.byID[id], n)
	}
	return n
}

func (g *fileGraph) createRelation(at int, kind string, from, to *node, properties map[string]any) *relation {
	r := &relation{at: at, kind: kind, from: from, to: to, properties: properties}
	g.relations = append(g.relations, r)
	from.out = append(from.out, r)
	to.in = append(to.in, r)
	return r
}

func (g *fileGraph) addLabel(n *node, label string) {
	if !slices.Contains(n.labels, label) {
		n.labels = append(n.labels, label)
		g.byLabel[label] = append(g.byLabel[label], n)
	}
}

func (g *fileGraph) removeLabel(n *node, label string) {
	if i := slices.Index(n.labels, label); i >= 0 {
		g.work += len(g.byLabel[label]) / 16
		n.labels = slices.Delete(n.labels, i, i+1)
		g.byLabel[label] = without(g.byLabel[label], n)
	}
}

// set changes one property; null removes it, as in Cypher.
func (g *fileGraph) set(of any, key string, value any) {
	switch of := of.(type) {
	case *relation:
		put(of.properties, key, value)
	case *node:
		if key == "id" {
			if old, ok := of.properties[key].(string); ok {
				g.work += len(g.byID[old]) / 16
				g.byID[old] = without(g.byID[old], of)
			}
			if id, ok := value.(string); ok {
				g.byID[id] = append(g.byID[id], of)
			}
		}
		put(of.properties, key, value)
	}
}

func put(properties map[string]any, key string, value any) {
	if value == nil {
		delete(properties, key)
		return
	}
	properties[key] = value
}

func without(list []*node, n *node) []*node {
	if i := slices.Index(list, n); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// sweep forgets what was deleted. It is called after each statement that deletes.
func (g *fileGraph) sweep() {
	g.work += len(g.nodes) + len(g.relations)
	g.nodes = slices.DeleteFunc(g.nodes, func(n *node) bool { return n.deleted })
	g.relations = slices.DeleteFunc(g.relations, func(r *relation) bool { return r.deleted })
	for _, index := range [...]map[string][]*node{g.byLabel, g.byID} {
		for key, list := range index {
			index[key] = slices.DeleteFunc(list, func(n *node) bool { return n.deleted })
		}
	}
	for _, n := range g.nodes {
		n.out = slices.DeleteFunc(n.out, func(r *relation) bool { return r.deleted })
		n.in = slices.DeleteFunc(n.in, func(r *relation) bool { return r.deleted })
	}
}

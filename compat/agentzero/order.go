package agentzero

import (
	"unicode"

	"github.com/stepgraph/stepgraph/compat/internal/circles"
)

// referable reports whether references can name a step of this id.
func referable(id string) bool {
	for _, c := range id {
		if c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return id != ""
}

// dependencies lists the nodes a node's input comes from: those its edges come from, and
// for a child what its group depends on.
func (f *flow) dependencies(n *node) []*node {
	at := n
	if n.group != nil {
		at = n.group
	}
	if at.needs == nil {
		at.needs = []*node{}
		for _, e := range f.into(at) {
			if from := f.byID[e.Source]; from != nil {
				at.needs = append(at.needs, from)
			}
		}
	}
	return at.needs
}

// upstream calls found for every node whose output is final when n runs, in execution order:
// after all nodes they depend on, otherwise in the order of the file. Children depend on the
// input of their group.
func (f *flow) upstream(n *node, found func(*node)) {
	if f.visits == nil {
		f.visits = make([]int, len(f.Nodes))
	}
	f.searches++
	first := func(n *node) bool {
		if f.visits[n.index] == f.searches {
			return false
		}
		f.visits[n.index] = f.searches
		return true
	}
	first(n)
	var visit func(*node)
	visit = func(at *node) {
		for _, from := range f.dependencies(at) {
			if !first(from) {
				continue
			}
			visit(from)
			for _, child := range from.children {
				if first(child) {
					found(child)
				}
			}
			found(from)
		}
	}
	visit(n)
}

// circles returns the sets of nodes that lead to each other, each in the order of the file,
// ignoring the edges in without.
func (f *flow) circles(without map[*edge]bool) [][]*node {
	place := make(map[*node]int, len(f.Nodes))
	for i, n := range f.Nodes {
		place[n] = i
	}
	next := make([][]int, len(f.Nodes))
	for _, e := range f.Edges {
		if from, to := f.byID[e.Source], f.byID[e.Target]; from != nil && to != nil && from != to && !without[e] {
			if from.group != nil {
				from = from.group
			}
			next[place[from]] = append(next[place[from]], place[to])
		}
	}
	var out [][]*node
	for _, set := range circles.Find(next) {
		var circle []*node
		for _, i := range set {
			circle = append(circle, f.Nodes[i])
		}
		out = append(out, circle)
	}
	return out
}

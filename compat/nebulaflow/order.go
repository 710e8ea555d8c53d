package nebulaflow

import (
	"math"
	"sort"
	"strconv"
	"strings"
)

// inputs are the edges that bring a node its values, in the order in which templates count
// them: by the N of in-N, then those without, in the order of the file. Edges from nodes
// that take no part are among them: they bring an empty text.
func (f *flow) inputs(n *node) []*edge { return n.values }

// handleOverride is the handle of a loop-start that takes the number of rounds.
const handleOverride = "iterations-override"

// portOf reads N of in-N or out-N; a handle of another form comes last.
func portOf(handle, prefix string) int {
	if text, ok := strings.CutPrefix(handle, prefix); ok {
		if n, err := strconv.Atoi(text); err == nil && n >= 0 {
			return n
		}
	}
	return math.MaxInt
}

// ready is the place of each node in the order in which ready nodes start: by the smallest
// place one of its edges has among the edges into that edge's target, then by position,
// then by id. Nodes nothing hangs on come last.
func (f *flow) ready() map[string]float64 {
	rank := map[string]int{}
	seen := map[string]int{}
	for _, n := range f.Nodes {
		rank[n.ID] = math.MaxInt
	}
	for _, e := range f.Edges {
		if f.live(e) {
			seen[e.Target]++
			rank[e.Source] = min(rank[e.Source], seen[e.Target])
		}
	}
	nodes := append([]*node(nil), f.Nodes...)
	sort.SliceStable(nodes, func(i, j int) bool {
		a, b := nodes[i], nodes[j]
		switch {
		case rank[a.ID] != rank[b.ID]:
			return rank[a.ID] < rank[b.ID]
		case a.Position.X != b.Position.X:
			return a.Position.X < b.Position.X
		case a.Position.Y != b.Position.Y:
			return a.Position.Y < b.Position.Y
		}
		return a.ID < b.ID
	})
	place := map[string]float64{}
	for i, n := range nodes {
		place[n.ID] = float64(i)
	}
	return place
}

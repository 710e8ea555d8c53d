// Package gates computes which incoming edges a node requires, so that it does not run when a
// decision before it took another branch: all edges are required, but of branches of one
// decision that meet again one is enough. Compilers of formats whose nodes wait for their
// inputs generate a step with `join: required` from the result; the groups are those of its
// paths.
//
// A source is excused if a decision before it took another arm that also leads to the node:
// the branches meet there. If no other arm of the decision leads there, the decision is a
// gate: while it stays closed, the node does not run.
package gates

import (
	"math/big"
	"slices"
)

// An Edge connects two nodes; Arm is the branch if From is a decision.
type Edge struct{ From, To, Arm int }

// Always is the arm of an edge that no decision closes.
const Always = -1

// A Graph is an acyclic flow. Nodes and edges are identified by their index.
type Graph struct {
	Arms   []int  // of each node: how many arms it decides between, 0 for no decision
	Within []int  // of each node: in whose body it begins where no edge leads to it, -1 for none
	Ends   []bool // of each node: it runs whenever the node it is within does, as the end of a loop
	Edges  []Edge
}

// An Arm is a way out of a decision.
type Arm struct{ Node, Arm int }

// A Group is a set of which one member is enough: edges into a node, or arms that excuse them.
type Group struct {
	Edges []int
	Arms  []Arm
}

// A Result holds the findings for each node.
type Result struct {
	Groups [][]Group // of each node with several edges into it: all of them are needed
	Wide   []bool    // of each node: too many different branches meet there to tell them apart; any is enough
	Missed []bool    // of each node among Ends: a run of what it is within may not lead to it

	graph    *Graph
	in       [][]int
	excludes []*big.Int // arms that were not taken when the node runs
	exact    []bool     // the node runs whenever none of these was taken
	leads    []*big.Int // arms by which the node may be reached
	first    []int      // place of a node's first arm in the sets
	arms     []Arm      // by their places
	begun    []bool
	done     []bool
	class    []int
}

// Find analyses all nodes of a graph.
func Find(g *Graph) *Result {
	n := len(g.Arms)
	r := &Result{Groups: make([][]Group, n), Wide: make([]bool, n), Missed: make([]bool, n), graph: g, in: make([][]int, n),
		excludes: make([]*big.Int, n), exact: make([]bool, n), leads: make([]*big.Int, n), first: make([]int, n), begun: make([]bool, n), done: make([]bool, n), class: make([]int, n)}
	for node := range n {
		r.excludes[node], r.leads[node] = new(big.Int), new(big.Int)
	}
	for i, e := range g.Edges {
		r.in[e.To] = append(r.in[e.To], i)
	}
	for node, arms := range g.Arms {
		r.first[node] = len(r.arms)
		for arm := range arms {
			r.arms = append(r.arms, Arm{node, arm})
		}
	}
	classes := map[string]int{}
	for node := range n {
		r.look(node)
		text := string(r.excludes[node].Bytes())
		if _, known := classes[text]; !known {
			classes[text] = len(classes)
		}
		r.class[node] = classes[text]
	}
	return r
}

// Class returns the same number for nodes that run under the same decisions.
func (r *Result) Class(node int) int { return r.class[node] }

// Certain reports whether node has always run when reader runs.
func (r *Result) Certain(node, reader int) bool {
	return r.exact[node] && (r.class[node] == r.class[reader] || subset(r.excludes[node], r.excludes[reader]))
}

func subset(a, b *big.Int) bool { return new(big.Int).AndNot(a, b).Sign() == 0 }

// look computes what holds of a node, after all that leads to it. It walks with a stack of its
// own: flows may be long chains.
func (r *Result) look(node int) {
	for stack := []int{node}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if r.done[at] {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		if !r.begun[at] { // what has begun and is not done lies in a circle, which a faulty flow may have
			r.begun[at] = true
			for _, e := range r.in[at] {
				if from := r.graph.Edges[e].From; !r.begun[from] {
					stack = append(stack, from)
				}
			}
			if within := r.graph.Within[at]; within >= 0 && !r.begun[within] {
				stack = append(stack, within)
			}
		}
		if len(stack) == before {
			r.settle(at)
			r.done[at] = true
		}
	}
}

func (r *Result) settle(node int) {
	r.exact[node] = true
	within := r.graph.Within[node]
	switch {
	case len(r.in[node]) > 0:
		r.join(node)
	case within >= 0:
		r.excludes[node], r.exact[node] = r.excludes[within], r.exact[within]
	}
	if within >= 0 && r.graph.Ends[node] {
		r.Missed[node] = len(r.in[node]) == 0 || !r.exact[node] || !subset(r.excludes[node], r.excludes[within])
		r.excludes[node], r.exact[node] = r.excludes[within], r.exact[within]
		r.Groups[node] = nil
	}
}

// A way is how edges lead to a node: what they exclude and by which arms they may be reached.
type way struct {
	edges           []int
	excludes, leads *big.Int
	exact           bool
	decisions       []int // of which some arm is excluded
}

// mostWays is how many different ways into one node are compared with one another.
const mostWays = 256

func (r *Result) join(node int) {
	ways := r.waysInto(node)
	groups := []Group{{Edges: r.in[node]}}
	switch {
	case len(ways) == 1 && (ways[0].exact || len(r.in[node]) == 1):
	case len(ways) > mostWays:
		r.Wide[node] = true
	default:
		groups = r.groups(ways)
		if len(groups) > 1 || len(groups[0].Arms) > 0 {
			r.Groups[node] = groups
		}
	}
	of := map[int]*way{}
	for _, w := range ways {
		r.leads[node].Or(r.leads[node], w.leads)
		for _, e := range w.edges {
			of[e] = w
		}
	}
	for _, group := range groups {
		r.need(node, group, of)
	}
	r.leads[node].AndNot(r.leads[node], r.excludes[node])
}

// waysInto are the ways into a node, those that are alike as one.
func (r *Result) waysInto(node int) []*way {
	var ways []*way
	alike := map[string]*way{}
	for _, at := range r.in[node] {
		e := r.graph.Edges[at]
		excludes, leads := r.through(e.From, e.Arm), new(big.Int).Set(r.leads[e.From])
		if e.Arm != Always {
			leads.SetBit(leads, r.first[e.From]+e.Arm, 1)
		}
		key := string(excludes.Bytes())
		w := alike[key]
		if w == nil {
			w = &way{excludes: excludes, leads: new(big.Int), exact: true}
			alike[key] = w
			ways = append(ways, w)
		}
		w.edges, w.exact = append(w.edges, at), w.exact && r.exact[e.From]
		w.leads.Or(w.leads, leads.AndNot(leads, excludes))
	}
	return ways
}

// through is what is excluded behind an arm of a node.
func (r *Result) through(node, arm int) *big.Int {
	if arm == Always {
		return r.excludes[node]
	}
	out := new(big.Int).Set(r.excludes[node])
	for other := range r.graph.Arms[node] {
		if other != arm {
			out.SetBit(out, r.first[node]+other, 1)
		}
	}
	return out
}

// need adds what a group excludes: what all of it have in common.
func (r *Result) need(node int, group Group, of map[int]*way) {
	var common *big.Int
	var members []*big.Int
	exact := true
	add := func(excludes *big.Int, known bool) {
		members, exact = append(members, excludes), exact && known
		if common == nil {
			common = new(big.Int).Set(excludes)
		} else {
			common.And(common, excludes)
		}
	}
	seen := map[*way]bool{}
	for _, e := range group.Edges {
		if w := of[e]; !seen[w] {
			seen[w] = true
			add(w.excludes, w.exact)
		}
	}
	for _, arm := range group.Arms {
		add(r.through(arm.Node, arm.Arm), r.exact[arm.Node])
	}
	// What all have in common is enough where some need nothing more.
	exact = exact && slices.ContainsFunc(members, func(m *big.Int) bool { return m.Cmp(common) == 0 })
	r.exact[node] = r.exact[node] && exact
	r.excludes[node] = new(big.Int).Or(r.excludes[node], common)
}

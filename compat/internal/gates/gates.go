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

import "math/big"

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

	graph *Graph
	in    [][]int
	when  []when
	leads []*big.Int // arms by which the node may be reached
	first []int      // place of a node's first arm in the sets
	arms  []Arm      // by their places
	begun []bool
	done  []bool
	class []int
}

// Find analyses all nodes of a graph.
func Find(g *Graph) *Result {
	n := len(g.Arms)
	r := &Result{Groups: make([][]Group, n), Wide: make([]bool, n), Missed: make([]bool, n), graph: g, in: make([][]int, n),
		when: make([]when, n), leads: make([]*big.Int, n), first: make([]int, n), begun: make([]bool, n), done: make([]bool, n), class: make([]int, n)}
	for node := range n {
		r.when[node], r.leads[node] = always, new(big.Int)
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
		r.analyse(node)
		text := r.when[node].key()
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
	return r.when[node].exact && (r.class[node] == r.class[reader] || r.when[reader].within(r.when[node]))
}

// analyse computes what holds of a node, after all that leads to it. It walks with a stack of its
// own: flows may be long chains.
func (r *Result) analyse(node int) {
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
	within := r.graph.Within[node]
	switch {
	case len(r.in[node]) > 0:
		r.join(node)
	case within >= 0:
		r.when[node] = r.when[within]
	}
	if within >= 0 && r.graph.Ends[node] {
		r.Missed[node] = len(r.in[node]) == 0 || !r.when[node].exact || !r.when[within].within(r.when[node])
		r.when[node] = r.when[within]
		r.Groups[node] = nil
	}
}

// A way is how edges lead to a node: when they are taken and by which arms they may be reached.
type way struct {
	edges     []int
	when      when
	leads     *big.Int
	decisions []int // of which some arm excludes the way
}

// mostWays is how many different ways into one node are compared with one another.
const mostWays = 256

func (r *Result) join(node int) {
	ways := r.waysInto(node)
	groups := []Group{{Edges: r.in[node]}}
	switch {
	case len(ways) == 1 && (ways[0].when.exact || len(r.in[node]) == 1):
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
		r.when[node] = r.both(r.when[node], r.groupTaken(group, of))
	}
	r.leads[node].AndNot(r.leads[node], r.when[node].common())
}

// waysInto are the ways into a node, those that are alike as one.
func (r *Result) waysInto(node int) []*way {
	var ways []*way
	alike := map[string]*way{}
	for _, at := range r.in[node] {
		e := r.graph.Edges[at]
		taken, leads := r.through(e.From, e.Arm), new(big.Int).Set(r.leads[e.From])
		if e.Arm != Always {
			leads.SetBit(leads, r.first[e.From]+e.Arm, 1)
		}
		key := taken.key()
		w := alike[key]
		if w == nil {
			w = &way{when: taken, leads: new(big.Int)}
			alike[key] = w
			ways = append(ways, w)
		}
		w.edges, w.when.exact = append(w.edges, at), w.when.exact && taken.exact
		w.leads.Or(w.leads, leads.AndNot(leads, taken.common()))
	}
	if len(ways) > mostCases {
		for _, w := range ways {
			w.when = w.when.collapsed()
		}
	}
	return ways
}

// groupTaken is when a member of a group is taken.
func (r *Result) groupTaken(group Group, of map[int]*way) when {
	var out when
	out.exact = true
	seen := map[*way]bool{}
	for _, e := range group.Edges {
		if w := of[e]; !seen[w] {
			seen[w] = true
			out.cases, out.exact = append(out.cases, w.when.cases...), out.exact && w.when.exact
		}
	}
	for _, arm := range group.Arms {
		taken := r.through(arm.Node, arm.Arm)
		out.cases, out.exact = append(out.cases, taken.cases...), out.exact && taken.exact
	}
	return r.reduced(out)
}

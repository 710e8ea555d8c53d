package flowise

import (
	"slices"
	"strconv"

	"github.com/stepgraph/stepgraph/compat/internal/inputs"
	"github.com/stepgraph/stepgraph/engine"
)

// silent reports whether a node shows no text: a round that ends with it shows a blank.
func silent(n *node) bool { return n.kind() == kindHTTP || n.kind() == kindCondition }

// ending is what a round shows that ends with a node.
func (c *compiler) ending(n *node) string {
	if silent(n) {
		return " "
	}
	return inputs.RefOr(c.shown(n))
}

// openBranches are the branches of a decision that no edge leaves by.
func (c *compiler) openBranches(n *node) []string {
	var open []string
	if n.kind() == kindHumanInput {
		return nil // none is in an iteration
	}
	for branch := range n.branches() {
		name := strconv.Itoa(branch)
		if !slices.ContainsFunc(c.flow.outOf(n), func(e *edge) bool {
			m := branchHandle.FindStringSubmatch(e.SourceHandle)
			return m == nil || m[1] == name
		}) {
			open = append(open, name)
		}
	}
	return open
}

// endRound makes the step that shows what the end that ran last shows, where a round may end
// in several places, or with a node that shows nothing.
func (c *compiler) endRound(n *node) []string {
	var ends []*node
	open := map[*node][]string{}
	for _, child := range n.children {
		open[child] = c.openBranches(child)
		if len(c.flow.outOf(child)) == 0 || len(open[child]) > 0 {
			ends = append(ends, child)
		}
	}
	if len(ends) < 2 && !slices.ContainsFunc(ends, silent) {
		return nil
	}
	last := c.helper(n.ID + "-last")
	result := engine.Step{ID: c.helper(n.ID + "-result"), Name: "Result of the round", Function: "template", Extra: generated(n), Join: engine.JoinAll,
		Input: inputs.Encode(inputs.Of("template", inputs.RefOr(last)))}
	c.w.Steps = append(c.w.Steps, result)
	ids := []string{result.ID}
	for _, end := range ends {
		keep := engine.Step{ID: c.helper(end.ID + "-end"), Name: "Result of " + end.label(), Function: "variable", Extra: generated(end),
			Input: inputs.Encode(inputs.Of("globals", inputs.Of(last, c.ending(end))))}
		c.w.Steps = append(c.w.Steps, keep)
		if len(c.flow.outOf(end)) == 0 {
			c.link(c.exits[end.ID], keep.ID)
		} else {
			c.linkBranches(end, open[end], keep.ID)
		}
		c.link(keep.ID, result.ID)
		ids = append(ids, keep.ID)
	}
	return ids
}

// linkBranches draws paths from branches of a decision.
func (c *compiler) linkBranches(from *node, branches []string, to string) {
	for _, branch := range branches {
		c.w.Paths = append(c.w.Paths, engine.Path{Kind: engine.Next, Source: c.exits[from.ID], Target: to, Extra: generated(nil),
			Condition: inputs.Encode(inputs.Of("true", inputs.RefOr(from.ID+".branches."+branch)))})
	}
}

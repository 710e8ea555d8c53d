package agentzero

import (
	"fmt"
	"strings"

	"github.com/stepgraph/stepgraph/compat/source"
)

// Error codes of refused flows. They are stable.
const (
	codeNodeID       = "node_id"
	codeDuplicate    = "duplicate_node"
	codeReserved     = "reserved_id"
	codeType         = "node_type"
	codeInputs       = "input_count"
	codeOutputs      = "output_count"
	codeNode         = "unknown_node"
	codeSelf         = "self_loop"
	codeCycle        = "cycle"
	codeIntoInput    = "edge_into_input"
	codeOutOfOutput  = "edge_out_of_output"
	codeBranches     = "condition_edges"
	codeHandle       = "condition_handle"
	codeParent       = "unknown_parent"
	codeChild        = "group_child_type"
	codeTwoGroups    = "two_groups"
	codeIntoChild    = "edge_into_group_child"
	codeOutOfChild   = "edge_out_of_group_child"
	codeInsideGroup  = "edge_inside_group"
	codeMerge        = "merge_strategy"
	codeMode         = "prompt_mode"
	codeFixed        = "fixed_prompt"
	codeFormat       = "output_format"
	codeTool         = "tool_name"
	codeEmpty        = "expression_empty"
	codeExpression   = "expression_syntax"
	codeTooLarge     = "too_large"
	codeForbidden    = "expression_forbidden"
	maxReferableText = "letters, digits, _ and -"
)

// check finds everything for which a flow is refused.
func (f *flow) check(faults *source.Faults) {
	c := checker{flow: f, faults: faults}
	for _, n := range f.Nodes {
		c.node(n)
	}
	c.count(kindInput, codeInputs)
	c.count(kindOutput, codeOutputs)
	for _, e := range f.Edges {
		c.edge(e)
	}
	for _, n := range f.ofKind(kindCondition) {
		c.branches(n)
	}
	c.cycles()
	if len(c.faults.List) == 0 || !c.broken {
		c.expressions()
	}
}

// A checker collects faults. Edges with a fault are left out of the search for cycles.
type checker struct {
	flow   *flow
	faults *source.Faults
	bad    map[*edge]bool
	broken bool // ids are ambiguous, so predecessors cannot be determined
}

func (c *checker) atNode(n *node, field, code, format string, args ...any) {
	pointer := fmt.Sprintf("/nodes/%d", n.index)
	if field != "" {
		pointer += "/" + field
	}
	c.faults.AddFor([]string{n.ID}, pointer, code, "node %q: %s", n.ID, fmt.Sprintf(format, args...))
}

func (c *checker) atEdge(e *edge, field, code, format string, args ...any) {
	if c.bad == nil {
		c.bad = map[*edge]bool{}
	}
	c.bad[e] = true
	pointer := fmt.Sprintf("/edges/%d", e.Index)
	if field != "" {
		pointer += "/" + field
	}
	c.faults.AddFor([]string{e.ID}, pointer, code, "edge %q (%s to %s): %s", e.ID, e.Source, e.Target, fmt.Sprintf(format, args...))
}

func (c *checker) node(n *node) {
	switch {
	case !referable(n.ID):
		c.broken = true
		c.atNode(n, "id", codeNodeID, "the id must be of %s, so that references can name the step", maxReferableText)
	case n.ID == "initial" || n.ID == "root" && n.kind != kindInput:
		c.atNode(n, "id", codeReserved, "this id is kept for the start of a session; give the node another")
	}
	if c.flow.repeated[n] {
		c.broken = true
		c.atNode(n, "id", codeDuplicate, "another node has the same id")
	}
	c.membership(n)
	switch n.kind {
	case "":
		c.atNode(n, "type", codeType, "type %q is not known; there are input, agent, parallelGroup, condition and output", n.Type)
	case kindInput:
		c.input(n)
	case kindGroup:
		if m := n.merge(); m != mergeConcatenate && m != mergeSummarize && m != mergeFirst {
			c.atNode(n, "data/mergeStrategy", codeMerge, "merge strategy %q is not known; there are concatenate, summarize and first", m)
		}
	case kindOutput:
		if f := n.format(); f != "markdown" && f != "raw" && f != "json" {
			c.atNode(n, "data/format", codeFormat, "format %q is not known; there are markdown, raw and json", f)
		}
	case kindAgent:
		for i, tool := range n.Data.Tools {
			if strings.TrimSpace(tool) == "" {
				c.atNode(n, fmt.Sprintf("data/tools/%d", i), codeTool, "a tool has no name")
			}
		}
	}
}

func (c *checker) input(n *node) {
	switch n.Data.PromptMode {
	case "", "runtime":
	case "fixed":
		if strings.TrimSpace(n.Data.FixedPrompt) == "" {
			c.atNode(n, "data/fixedPrompt", codeFixed, "promptMode is fixed and fixedPrompt is blank")
		}
	default:
		c.atNode(n, "data/promptMode", codeMode, "promptMode %q is not known; there are runtime and fixed", n.Data.PromptMode)
	}
}

func (c *checker) membership(n *node) {
	if n.ParentID != "" && (n.group == nil || n.group.ID != n.ParentID) {
		c.atNode(n, "parentId", codeParent, "parentId %q names no parallel group", n.ParentID)
	}
	if len(n.rivals) > 0 {
		c.atNode(n, "", codeTwoGroups, "groups %s all have it as a branch", strings.Join(n.rivals, ", "))
	}
	if n.group != nil && n.kind != kindAgent && n.kind != "" {
		c.atNode(n, "parentId", codeChild, "the children of a group are agents; this is a node of type %s", n.Type)
	}
}

func (c *checker) count(kind, code string) {
	all := c.flow.ofKind(kind)
	if len(all) == 1 {
		return
	}
	ids := make([]string, len(all))
	for i, n := range all {
		ids[i] = n.ID
	}
	if len(all) == 0 {
		c.faults.Add("/nodes", code, "a flow has exactly one node of type %s, this one has none", kind)
		return
	}
	c.faults.AddFor(ids, fmt.Sprintf("/nodes/%d", all[1].index), code, "a flow has exactly one node of type %s, this one has %d (%s)", kind, len(all), strings.Join(ids, ", "))
}

func (c *checker) edge(e *edge) {
	from, to := c.flow.byID[e.Source], c.flow.byID[e.Target]
	switch {
	case from == nil:
		c.atEdge(e, "source", codeNode, "there is no node %q", e.Source)
	case to == nil:
		c.atEdge(e, "target", codeNode, "there is no node %q", e.Target)
	case from == to:
		c.atEdge(e, "", codeSelf, "source and target are the same node")
	case to.kind == kindInput:
		c.atEdge(e, "target", codeIntoInput, "an input has outgoing edges only")
	case from.kind == kindOutput:
		c.atEdge(e, "source", codeOutOfOutput, "an output has incoming edges only")
	case to.group != nil && to.group == from.group:
		c.atEdge(e, "", codeInsideGroup, "the children of a group run side by side, so no edge leads from one to another")
	case to.group != nil:
		c.atEdge(e, "target", codeIntoChild, "the children of a group take no edges from outside; draw it to %q", to.group.ID)
	case from.group != nil && !from.group.loose:
		c.atEdge(e, "source", codeOutOfChild, "the children of a group send no edges out; draw it from %q", from.group.ID)
	}
}

// branches checks the edges out of a condition.
func (c *checker) branches(n *node) {
	out := c.flow.outOf(n)
	seen := map[string]bool{}
	twice := false
	for _, e := range out {
		if h := e.SourceHandle; h == "true" || h == "false" {
			twice = twice || seen[h]
			seen[h] = true
			continue
		}
		c.atEdge(e, "sourceHandle", codeHandle, "an edge of a condition leaves by the handle true or false, this one by %q", e.SourceHandle)
	}
	if len(out) > 2 || twice {
		c.atNode(n, "", codeBranches, "a condition has at most two outgoing edges, one by each handle; this one has %d", len(out))
	}
}

// cycles names the nodes of every circle of edges, one fault for each.
func (c *checker) cycles() {
	for _, circle := range c.flow.circles(c.bad) {
		ids := make([]string, len(circle))
		for i, n := range circle {
			ids[i] = n.ID
		}
		c.faults.AddFor(ids, fmt.Sprintf("/nodes/%d", circle[0].index), codeCycle, "nodes %s form a cycle", strings.Join(ids, ", "))
	}
}

package nebulaflow

import "strings"

// lint warns of what runs but is probably not meant, or runs differently here.
func (c *compiler) lint() {
	for _, n := range c.flow.Nodes {
		if !n.active() {
			continue
		}
		c.lintNode(n)
		for _, m := range placeholder.FindAllStringSubmatch(n.Data.Content, -1) {
			if _, known := c.placeholder(m[1], nil, n); !known && n.Type != kindCLI {
				c.note(n, "unknown_variable", "nothing sets %q: ${%s} stays as it is written", m[1], m[1])
			}
		}
	}
}

func (c *compiler) lintNode(n *node) {
	d := &n.Data
	in := c.flow.inputs(n)
	switch n.Type {
	case kindCLI:
		if d.Mode == modeScript && !d.Approval || d.SafetyLevel == "advanced" && !d.Approval {
			c.note(n, "unguarded_shell", "the command runs without being asked about: set needsUserApproval")
		}
	case kindLLM:
		if strings.TrimSpace(d.Content) == "" && len(in) == 0 {
			c.note(n, "empty_prompt", "there is neither content nor an input: the step will fail")
		}
	case kindIfElse:
		if len(c.flow.outOf(n.ID)) == 0 {
			c.note(n, "no_branch", "no edge leaves the if/else")
		}
		if strings.TrimSpace(d.Content) == "" && c.shellParent(n) == nil {
			c.note(n, "empty_condition", "there is no condition: the branch true is always taken")
		}
	case kindLoopStart:
		if d.LoopMode == loopWhile && d.MaxSafeIterations <= 0 {
			c.note(n, "no_safe_limit", "maxSafeIterations is not set: at most %d rounds", safeRounds)
		}
		switch {
		case d.LoopMode != loopWhile || c.variables[d.CollectionVariable]:
		case strings.TrimSpace(d.CollectionVariable) == "":
			c.note(n, "unknown_variable", "collectionVariable names no variable, so there are no rounds")
		default:
			c.note(n, "unknown_variable", "no variable node sets %q, so there are no rounds", d.CollectionVariable)
		}
	case kindVariable:
		if d.InitialValue != "" {
			c.note(n, "initial_value", "initialValue of a variable has no effect")
		}
	}
	if n.Data.Bypass {
		c.note(n, "bypass", "the node is bypassed: its result is the saved one, or empty")
	}
}

package graph

import "slices"

// joinAll warns where a step with `join: all` is led to by a path with a condition beside one that
// is always taken: the step runs with what arrived, so the condition is not a gate. Where the source of
// the conditional path also leads to the other source, the two are branches of one decision that
// meet again, which is what `all` is for. Workflows of other systems follow their own rules.
func (v *validation) joinAll(c *CompiledStep) {
	if c.Join != JoinAll || v.d.Workflow.Extra["source_format"] != nil {
		return
	}
	var always, conditional []*CompiledPath
	for _, id := range v.d.ids {
		for _, p := range v.d.steps[id].Next {
			switch {
			case p.Target != c.ID || p.Back || p.Closes || p.Fault != "":
			case p.Condition == nil || p.Condition == "":
				always = append(always, p)
			default:
				conditional = append(conditional, p)
			}
		}
	}
	for _, gate := range conditional {
		i := slices.IndexFunc(always, func(p *CompiledPath) bool {
			return p.Source != gate.Source && !v.ancestors(p.Source)[gate.Source]
		})
		if i < 0 {
			continue
		}
		v.add("warning", "open_gate", c.ID, gate.ID, `join "all" takes what arrives: the step runs after %q also where the path from %q is not taken. When it needs both, use join "required"`,
			always[i].Source, gate.Source)
	}
}

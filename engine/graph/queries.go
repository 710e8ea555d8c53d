package graph

import "strings"

// Waits reports whether an activation of the step Waits for others.
func (c *CompiledStep) Waits() bool { return c.Join == JoinAll || c.Join == JoinRequired }

// Reaching is the set of steps from which some path, back ones too, leads to a step.
func (d *Definition) Reaching(step string) map[string]bool {
	before := map[string][]string{}
	for _, s := range d.All() {
		for _, p := range s.Next {
			if p.Fault == "" {
				before[p.Target] = append(before[p.Target], s.ID)
			}
		}
	}
	seen := map[string]bool{}
	stack := []string{step}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, b := range before[s] {
			if !seen[b] {
				seen[b] = true
				stack = append(stack, b)
			}
		}
	}
	return seen
}

// SourceOf is the step a NEXT path begins at.
func (d *Definition) SourceOf(path string) *CompiledStep {
	if p := d.Path(path); p != nil {
		return d.Step(p.Source)
	}
	return nil
}

// ReadsResults reports whether a body refers to the results of its container. It returns true if
// that is unknown: for a session that is only read, or a container that was removed.
func (d *Definition) ReadsResults(container string) bool {
	if d == nil || d.Step(container) == nil {
		return true
	}
	for _, id := range d.Step(container).Body {
		s := d.Step(id)
		if strings.Contains(s.Input, container) && strings.Contains(s.Input, "results") || len(s.Body) > 0 && d.ReadsResults(id) {
			return true
		}
		for _, p := range s.Next {
			if text := ConditionText(p.Condition); strings.Contains(text, container) && strings.Contains(text, "results") {
				return true
			}
		}
	}
	return false
}

package graph

import "strings"

// before reports whether some path, back ones too, leads from a step to another, or both
// run side by side from a common start.
func (v *validation) before(id string, c *CompiledStep) bool {
	if v.d.Leads(v.d.steps[id], c) {
		return true
	}
	seen := map[string]bool{id: true}
	stack := []string{id}
	for len(stack) > 0 {
		s := v.d.steps[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if s == nil {
			continue
		}
		if s.ID == c.ID || s.Holder == c.ID || c.Holder == s.ID {
			return true
		}
		for _, next := range v.successors(s) {
			if !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return v.sideBySide(id, c.ID)
}

// sideBySide reports whether one step leads to both: then the pending rule may bring them
// into order.
func (v *validation) sideBySide(a, b string) bool {
	both := v.ancestors(a)
	for id := range v.ancestors(b) {
		if both[id] {
			return true
		}
	}
	return false
}

// ancestors are the steps from which a forward route leads to a step.
func (v *validation) ancestors(id string) map[string]bool {
	if v.into == nil {
		v.into = map[string][]string{}
		for _, s := range v.d.steps {
			for _, p := range v.d.onward(s) {
				if p.Forward() {
					v.into[p.Target] = append(v.into[p.Target], s.ID)
				}
			}
		}
	}
	found := map[string]bool{}
	for stack := []string{id}; len(stack) > 0; {
		sources := v.into[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		for _, source := range sources {
			if !found[source] {
				found[source] = true
				stack = append(stack, source)
			}
		}
	}
	return found
}

// successors are all steps control can go to from s.
func (v *validation) successors(s *CompiledStep) []string {
	var out []string
	for _, p := range s.Next {
		if p.Fault == "" {
			out = append(out, p.Target)
		}
	}
	for _, t := range s.ToolPaths {
		out = append(out, t.Target)
	}
	out = append(out, s.Body...)
	if s.Holder != "" {
		out = append(out, s.Holder)
	}
	return out
}

// reach warns of steps that nothing leads to from root.
func (v *validation) reach() {
	if v.d.steps[DefaultEntry] == nil {
		return
	}
	seen := map[string]bool{DefaultEntry: true}
	stack := []string{DefaultEntry}
	for len(stack) > 0 {
		s := v.d.steps[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		for _, next := range v.successors(s) {
			if !seen[next] && v.d.steps[next] != nil {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	for _, id := range v.d.ids {
		if !seen[id] {
			v.add("warning", "unreachable", id, "", "no path leads here from %q: it runs only as an entry step or after a move", DefaultEntry)
		}
	}
}

// loops warns of loops that nothing can leave or stop: every path of every step in them
// is unconditional and leads round again, and no step asks a person.
func (v *validation) loops() {
	type ends struct{ source, target string }
	judged := map[ends]bool{}
	for _, id := range v.d.ids {
		for _, p := range v.d.steps[id].Next {
			if !p.Closes || p.Fault != "" || p.Condition != nil {
				continue
			}
			endless, done := judged[ends{p.Source, p.Target}]
			if !done {
				endless = v.endless(p)
				judged[ends{p.Source, p.Target}] = endless
			}
			if endless {
				v.add("warning", "endless_loop", p.Source, p.ID, "nothing ends this loop: it runs until max_steps")
			}
		}
	}
}

// endless reports whether a loop that an unconditional p closes has neither a condition nor a question.
func (v *validation) endless(p *CompiledPath) bool {
	for _, s := range v.d.loopOf(p) {
		if asks(s) {
			return false
		}
		for _, out := range s.Next {
			if out.Condition != nil {
				return false
			}
		}
	}
	return true
}

func asks(s *CompiledStep) bool {
	return s.Approval || strings.Contains(s.Function, "request") || s.Function == "wait"
}

// loopOf returns the steps between a closing path's target and its source.
func (d *Definition) loopOf(p *CompiledPath) []*CompiledStep {
	source, target := d.steps[p.Source], d.steps[p.Target]
	if source == nil || target == nil {
		return nil
	}
	if source == target {
		return []*CompiledStep{source}
	}
	var in []*CompiledStep
	for _, s := range d.steps {
		fromTarget := s == target || d.Leads(target, s)
		toSource := s == source || d.Leads(s, source)
		if fromTarget && toSource {
			in = append(in, s)
		}
	}
	return in
}

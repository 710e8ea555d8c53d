package graph

import (
	"fmt"
	"slices"
	"sort"
)

// maxNesting is how deep containers may stand in each other.
const maxNesting = 8

// findBodies completes what CONTAINS paths say: which steps of a body its rounds start
// with and end in, which paths break out of it, and which are closed because they lead
// into a body from outside.
func (d *Definition) findBodies() {
	d.boundNesting()
	for _, s := range d.steps {
		for _, p := range s.Next {
			if p.Fault != "" {
				continue
			}
			target := d.steps[p.Target]
			switch {
			case target.Holder == s.Holder:
			case d.Holds(target.Holder, s):
				p.Leaves = true
			default:
				p.Fault = fmt.Sprintf("leads into the body of %q from outside", target.Holder)
			}
		}
	}
}

// boundNesting takes steps out of bodies that stand, at some depth, in themselves, and
// those below the first that is nested too deep: after it no step has more than
// maxNesting+1 containers around it. Which of a circle is taken out goes by id.
func (d *Definition) boundNesting() {
	depth := make(map[string]int, len(d.ids))
	for _, id := range d.ids {
		if d.steps[id].Holder == "" {
			d.nestFrom(id, depth)
		}
	}
	for _, id := range d.ids {
		if _, done := depth[id]; !done { // no step outside all bodies holds it: it is in a circle, or below one
			d.removeFromBody(d.steps[id])
			d.steps[id].Fault = errNesting
			d.nestFrom(id, depth)
		}
	}
}

var errNesting = fmt.Errorf("containers stand in each other more than %d deep, or in themselves", maxNesting)

func (d *Definition) nestFrom(top string, depth map[string]int) {
	depth[top] = 0
	for stack := []string{top}; len(stack) > 0; {
		s := d.steps[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		for _, id := range s.Body {
			depth[id] = depth[s.ID] + 1
			if depth[id] > maxNesting {
				d.steps[id].Fault = errNesting
			}
			if depth[s.ID] > maxNesting {
				d.steps[id].Holder = ""
			}
			stack = append(stack, id)
		}
		if depth[s.ID] > maxNesting {
			s.Body = nil
		}
	}
}

func (d *Definition) removeFromBody(s *CompiledStep) {
	holder := d.steps[s.Holder]
	holder.Body = slices.DeleteFunc(holder.Body, func(id string) bool { return id == s.ID })
	s.Holder = ""
}

// Holds reports whether a step is in the body of holder, at any depth; everything
// stands in "", the workflow itself.
func (d *Definition) Holds(holder string, s *CompiledStep) bool {
	if holder == "" {
		return true
	}
	for h := s.Holder; h != ""; h = d.steps[h].Holder {
		if h == holder {
			return true
		}
	}
	return false
}

// findEnds finds, once back paths are known, what a round of each body starts with and
// what its result is: the steps no forward path from inside leads to, and those no
// forward path inside leads out of. Both in the order of CONTAINS.
func (d *Definition) findEnds() {
	for _, s := range d.steps {
		if len(s.Body) == 0 {
			continue
		}
		entered := map[string]bool{}
		for _, id := range s.Body {
			ends := true
			for _, p := range d.steps[id].Next {
				if p.Forward() && !p.Leaves {
					ends = false
				}
			}
			for _, p := range d.onward(d.steps[id]) { // what breaks out of a body inside leads here too
				if p.Forward() && d.steps[p.Target].Holder == s.ID {
					entered[p.Target] = true
				}
			}
			if ends {
				s.Ends = append(s.Ends, id)
			}
		}
		for _, id := range s.Body {
			if !entered[id] {
				s.Starts = append(s.Starts, id)
			}
		}
	}
}

// beyond lists the paths that break out of a step's body, at any depth, to outside it:
// whatever they lead to can be reached from the container.
func (d *Definition) beyond(s *CompiledStep) []*CompiledPath {
	var out []*CompiledPath
	keep := func(p *CompiledPath) {
		if p.Fault == "" && p.Leaves && !d.Holds(s.ID, d.steps[p.Target]) {
			out = append(out, p)
		}
	}
	for _, id := range s.Body {
		inner := d.steps[id]
		for _, p := range inner.Next {
			keep(p)
		}
		for _, p := range d.beyond(inner) {
			keep(p)
		}
	}
	return out
}

// onward are the paths by which a step's activity may go on: its own and those that
// break out of its body.
func (d *Definition) onward(s *CompiledStep) []*CompiledPath {
	if len(s.Body) == 0 {
		return s.Next
	}
	return append(append([]*CompiledPath(nil), s.Next...), d.beyond(s)...)
}

// WorkflowEnds are the steps outside bodies that no forward path leads out of, by id:
// the steps at which a session can end. Tools of agents are not among them.
func (d *Definition) WorkflowEnds(holder string) []string {
	tools := map[string]bool{}
	for _, s := range d.steps {
		for _, t := range s.ToolPaths {
			tools[t.Target] = true
		}
	}
	var ids []string
	for id, s := range d.steps {
		if s.Holder != holder || tools[id] && holder == "" {
			continue
		}
		ends := true
		for _, p := range s.Next {
			if p.Forward() && (holder == "" || !p.Leaves) {
				ends = false
			}
		}
		if ends {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	return ids
}

package engine

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
		for _, p := range s.next {
			if p.fault != "" {
				continue
			}
			target := d.steps[p.Target]
			switch {
			case target.holder == s.holder:
			case d.holds(target.holder, s):
				p.leaves = true
			default:
				p.fault = fmt.Sprintf("leads into the body of %q from outside", target.holder)
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
		if d.steps[id].holder == "" {
			d.nestFrom(id, depth)
		}
	}
	for _, id := range d.ids {
		if _, done := depth[id]; !done { // no step outside all bodies holds it: it is in a circle, or below one
			d.removeFromBody(d.steps[id])
			d.steps[id].fault = errNesting
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
		for _, id := range s.body {
			depth[id] = depth[s.ID] + 1
			if depth[id] > maxNesting {
				d.steps[id].fault = errNesting
			}
			if depth[s.ID] > maxNesting {
				d.steps[id].holder = ""
			}
			stack = append(stack, id)
		}
		if depth[s.ID] > maxNesting {
			s.body = nil
		}
	}
}

func (d *Definition) removeFromBody(s *compiledStep) {
	holder := d.steps[s.holder]
	holder.body = slices.DeleteFunc(holder.body, func(id string) bool { return id == s.ID })
	s.holder = ""
}

// holds tells whether a step stands, at some depth, in the body of holder; everything
// stands in "", the workflow itself.
func (d *Definition) holds(holder string, s *compiledStep) bool {
	if holder == "" {
		return true
	}
	for h := s.holder; h != ""; h = d.steps[h].holder {
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
		if len(s.body) == 0 {
			continue
		}
		entered := map[string]bool{}
		for _, id := range s.body {
			ends := true
			for _, p := range d.steps[id].next {
				if p.forward() && !p.leaves {
					ends = false
				}
			}
			for _, p := range d.onward(d.steps[id]) { // what breaks out of a body inside leads here too
				if p.forward() && d.steps[p.Target].holder == s.ID {
					entered[p.Target] = true
				}
			}
			if ends {
				s.ends = append(s.ends, id)
			}
		}
		for _, id := range s.body {
			if !entered[id] {
				s.starts = append(s.starts, id)
			}
		}
	}
}

// beyond lists the paths that break out of a step's body, at any depth, to outside it:
// whatever they lead to can be reached from the container.
func (d *Definition) beyond(s *compiledStep) []*compiledPath {
	var out []*compiledPath
	keep := func(p *compiledPath) {
		if p.fault == "" && p.leaves && !d.holds(s.ID, d.steps[p.Target]) {
			out = append(out, p)
		}
	}
	for _, id := range s.body {
		inner := d.steps[id]
		for _, p := range inner.next {
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
func (d *Definition) onward(s *compiledStep) []*compiledPath {
	if len(s.body) == 0 {
		return s.next
	}
	return append(append([]*compiledPath(nil), s.next...), d.beyond(s)...)
}

// workflowEnds are the steps outside bodies that no forward path leads out of, by id:
// what a session comes to. Tools of agents are not among them.
func (d *Definition) workflowEnds(holder string) []string {
	tools := map[string]bool{}
	for _, s := range d.steps {
		for _, t := range s.tools {
			tools[t.Target] = true
		}
	}
	var ids []string
	for id, s := range d.steps {
		if s.holder != holder || tools[id] && holder == "" {
			continue
		}
		ends := true
		for _, p := range s.next {
			if p.forward() && (holder == "" || !p.leaves) {
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

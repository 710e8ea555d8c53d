package graph

// holds reports whether the walk met other below this step, so that a forward route leads there.
func (s spot) holds(other spot) bool { return s.entered < other.entered && other.left < s.left }

// mayLead is false when no forward route leads from this step to other.
func (s spot) mayLead(other spot) bool { return s.lowest <= other.left && other.left < s.left }

// findRoutes gives every step its spot. Forward paths form no cycle.
func (d *Definition) findRoutes() {
	type frame struct {
		step  *CompiledStep
		paths []*CompiledPath
		next  int
	}
	entered, left := 0, 0
	seen := make(map[*CompiledStep]bool, len(d.steps))
	var stack []frame
	enter := func(s *CompiledStep) {
		seen[s] = true
		s.spot.entered = entered
		entered++
		stack = append(stack, frame{step: s, paths: d.onward(s)})
	}
	for _, id := range d.ids {
		if seen[d.steps[id]] {
			continue
		}
		enter(d.steps[id])
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next < len(f.paths) {
				p := f.paths[f.next]
				f.next++
				if p.Forward() && !seen[d.steps[p.Target]] {
					enter(d.steps[p.Target])
				}
				continue
			}
			at := &f.step.spot
			at.left, at.lowest = left, left
			left++
			for _, p := range f.paths {
				if p.Forward() {
					at.lowest = min(at.lowest, d.steps[p.Target].spot.lowest)
				}
			}
			stack = stack[:len(stack)-1]
		}
	}
}

// Leads reports whether a forward route of one path or more leads from a step to another.
func (d *Definition) Leads(from, to *CompiledStep) bool {
	if from.spot.holds(to.spot) {
		return true
	}
	if !from.spot.mayLead(to.spot) {
		return false
	}
	seen := map[*CompiledStep]bool{from: true}
	for stack := []*CompiledStep{from}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range d.onward(s) {
			if !p.Forward() {
				continue
			}
			next := d.steps[p.Target]
			if next == to || next.spot.holds(to.spot) {
				return true
			}
			if !seen[next] && next.spot.mayLead(to.spot) {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return false
}

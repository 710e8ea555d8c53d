package cypherfile

import "slices"

// match replaces each row by one for every way its patterns fit the graph.
func (r *run) match(c *matchClause) error {
	var out []row
	for _, row := range r.rows {
		found, err := r.solve(c.paths, c.where, row)
		if err != nil {
			return err
		}
		if len(found) == 0 && c.optional {
			for _, slot := range c.fresh {
				row[slot] = nil
			}
			found = append(found, row)
		}
		out = append(out, found...)
	}
	r.rows = out
	return nil
}

// A search goes through patterns element by element and back again when one does not fit.
type search struct {
	run   *run
	paths []*path
	where expression
	row   row   // the row itself, its slots filled in on the way
	slots []int // the slots of the patterns
	used  []*relation
	found [][]any // per result, the values of slots
}

// solve returns the rows that extend row by a fit of all paths. The row given is used
// for the last of them, so that the usual MATCH with one result copies nothing.
func (r *run) solve(paths []*path, where expression, given row) ([]row, error) {
	s := &search{run: r, paths: paths, where: where, row: given}
	for _, p := range paths {
		for i, n := range p.nodes {
			s.slots = append(s.slots, n.slot)
			if i < len(p.relations) {
				s.slots = append(s.slots, p.relations[i].slot)
			}
		}
	}
	if err := s.start(0); err != nil {
		return nil, err
	}
	rows := make([]row, len(s.found))
	for i, values := range s.found {
		rows[i] = given
		if i < len(rows)-1 {
			r.graph.work += len(given)
			rows[i] = slices.Clone(given)
		}
		for k, slot := range s.slots {
			rows[i][slot] = values[k]
		}
	}
	return rows, nil
}

// start begins the i-th path; behind the last one the row is a result.
func (s *search) start(i int) error {
	if i == len(s.paths) {
		return s.result()
	}
	first := s.paths[i].nodes[0]
	candidates, err := s.candidates(first)
	if err != nil {
		return err
	}
	for _, n := range candidates {
		if err := s.visit(i, 0, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) result() error {
	if s.where != nil {
		ok, err := s.run.holds(s.where, s.row)
		if err != nil || !ok {
			return err
		}
	}
	s.run.graph.work += 8 + len(s.slots)
	values := make([]any, len(s.slots))
	for i, slot := range s.slots {
		values[i] = s.row[slot]
	}
	s.found = append(s.found, values)
	return nil
}

// visit tries node n for the k-th node of path i and goes on from there.
func (s *search) visit(i, k int, n *node) error {
	s.run.graph.work++
	if s.run.graph.work > maxWork {
		return faultf(s.paths[i].at, "this pattern looks at too much: name what is meant by label and id")
	}
	p := s.paths[i]
	pattern := p.nodes[k]
	fits, err := s.fitsNode(pattern, n)
	if err != nil || !fits {
		return err
	}
	s.row[pattern.slot] = n
	if k == len(p.relations) {
		return s.start(i + 1)
	}
	rel := p.relations[k]
	if rel.direction != incoming {
		for _, candidate := range n.out {
			if err := s.follow(i, k, candidate, candidate.to); err != nil {
				return err
			}
		}
	}
	if rel.direction != outgoing {
		for _, candidate := range n.in {
			if rel.direction == either && candidate.from == candidate.to {
				continue // a loop has been seen from its other end
			}
			if err := s.follow(i, k, candidate, candidate.from); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow tries one relationship for the k-th of path i. One MATCH uses each only once.
func (s *search) follow(i, k int, candidate *relation, to *node) error {
	s.run.graph.work++
	pattern := s.paths[i].relations[k]
	next := s.paths[i].nodes[k+1]
	if candidate.deleted || slices.Contains(s.used, candidate) ||
		len(pattern.types) > 0 && !slices.Contains(pattern.types, candidate.kind) ||
		pattern.bound && s.row[pattern.slot] != any(candidate) || next.bound && s.row[next.slot] != any(to) {
		return nil
	}
	s.row[pattern.slot] = candidate
	fits, err := s.run.fitsProperties(pattern.properties, candidate.properties, s.row)
	if err != nil || !fits {
		return err
	}
	s.used = append(s.used, candidate)
	defer func() { s.used = s.used[:len(s.used)-1] }()
	return s.visit(i, k+1, to)
}

// candidates are the nodes worth trying for a pattern, by the best index there is.
func (s *search) candidates(n *nodePattern) ([]*node, error) {
	g := s.run.graph
	if n.bound {
		if bound, ok := s.row[n.slot].(*node); ok {
			return []*node{bound}, nil
		}
		return nil, nil
	}
	if n.properties != nil {
		if i := slices.Index(n.properties.keys, "id"); i >= 0 {
			id, err := s.run.value(n.properties.values[i], s.row)
			if err != nil {
				return nil, err
			}
			if id, ok := id.(string); ok {
				return g.byID[id], nil
			}
		}
	}
	if len(n.labels) > 0 {
		return g.byLabel[n.labels[0]], nil
	}
	return g.nodes, nil
}

func (s *search) fitsNode(pattern *nodePattern, n *node) (bool, error) {
	if n.deleted || pattern.bound && s.row[pattern.slot] != any(n) {
		return false, nil
	}
	for _, label := range pattern.labels {
		if !slices.Contains(n.labels, label) {
			return false, nil
		}
	}
	return s.run.fitsProperties(pattern.properties, n.properties, s.row)
}

// fitsProperties reports whether every property of the pattern equals the one that is
// there; null equals nothing.
func (r *run) fitsProperties(pattern *mapExpression, has map[string]any, row row) (bool, error) {
	if pattern == nil {
		return true, nil
	}
	for i, key := range pattern.keys {
		want, err := r.value(pattern.values[i], row)
		if err != nil {
			return false, err
		}
		if equal(has[key], want) != true {
			return false, nil
		}
	}
	return true, nil
}

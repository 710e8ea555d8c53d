package cypherfile

// maxWork bounds what a file may cost: nodes and relationships looked at, rows copied. A
// file of 20,000 steps needs about a hundredth of it; MATCH (a), (b), (c) on such a graph
// would never end.
const maxWork = 20_000_000

// maxMatched bounds the nodes of one MATCH or MERGE, which is solved by recursion.
const maxMatched = 1_000

// A row holds the values of a statement's variables by slot: nil, bool, int64, float64,
// string, []any, map[string]any, *node or *relation.
type row []any

// A run is one statement at work on the graph.
type run struct {
	graph   *fileGraph
	rows    []row
	deleted bool
}

// evaluate runs all statements on an empty graph. Each sees what those before it made.
func evaluate(statements []*statement) (*fileGraph, error) {
	g := newGraph()
	for _, st := range statements {
		r := &run{graph: g, rows: []row{make(row, st.slots)}}
		for _, c := range st.clauses {
			if err := r.clause(c); err != nil {
				return nil, err
			}
			if g.work > maxWork {
				return nil, faultf(c.place(), "%s looks at too much: name what is meant by label and id", clauseWord(c))
			}
		}
		if r.deleted {
			if err := g.checkDangling(st); err != nil {
				return nil, err
			}
			g.sweep()
		}
	}
	return g, nil
}

// checkDangling refuses a DELETE that leaves a relationship without its node. Neo4j
// looks when the statement is over, so the order of deletes within it does not matter.
func (g *fileGraph) checkDangling(st *statement) error {
	for _, rel := range g.relations {
		if !rel.deleted && (rel.from.deleted || rel.to.deleted) {
			return faultf(deletePlace(st), "a deleted node still has relationships: delete them first, or use DETACH DELETE")
		}
	}
	return nil
}

func deletePlace(st *statement) int {
	for _, c := range st.clauses {
		if d, ok := c.(*deleteClause); ok && !d.detach {
			return d.at
		}
	}
	return st.clauses[0].place()
}

func (r *run) clause(c clause) error {
	switch c := c.(type) {
	case *matchClause:
		return r.match(c)
	case *withClause:
		return r.with(c)
	case *mergeClause:
		return r.merge(c)
	case *returnClause, *schemaClause:
		return nil
	}
	for _, row := range r.rows {
		if err := r.update(c, row); err != nil {
			return err
		}
	}
	return nil
}

// update applies an updating clause to one row. MERGE is not among them: it can make
// several rows of one.
func (r *run) update(c clause, row row) error {
	r.graph.work++
	switch c := c.(type) {
	case *createClause:
		for _, p := range c.paths {
			if err := r.createPath(p, row, false); err != nil {
				return err
			}
		}
	case *setClause:
		return r.setItems(c.items, row)
	case *removeClause:
		return r.setItems(c.items, row)
	case *deleteClause:
		for _, t := range c.targets {
			if err := r.delete(t.(*variable), c.detach, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// createPath makes what is not bound of a path. A MERGE refuses null properties, for
// what it makes it could never find again.
func (r *run) createPath(p *path, row row, merge bool) error {
	nodes := make([]*node, len(p.nodes))
	for i, n := range p.nodes {
		made, err := r.createNode(n, row, merge)
		if err != nil {
			return err
		}
		nodes[i] = made
		if i == 0 {
			continue
		}
		if err := r.createRelation(p.relations[i-1], nodes[i-1], made, row, merge); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) createNode(n *nodePattern, row row, merge bool) (*node, error) {
	if n.bound {
		bound, _ := row[n.slot].(*node)
		if bound == nil {
			return nil, faultf(n.at, "%s is %s here: a relationship needs a node at both ends", n.name, typeName(row[n.slot]))
		}
		if bound.deleted {
			return nil, faultf(n.at, "the node of %s has been deleted", n.name)
		}
		return bound, nil
	}
	properties, err := r.storable(n.properties, row, merge)
	if err != nil {
		return nil, err
	}
	made := r.graph.createNode(n.at, n.name, n.labels, properties)
	row[n.slot] = made
	return made, nil
}

func (r *run) createRelation(rel *relationPattern, left, right *node, row row, merge bool) error {
	properties, err := r.storable(rel.properties, row, merge)
	if err != nil {
		return err
	}
	if rel.direction == incoming {
		left, right = right, left
	}
	row[rel.slot] = r.graph.createRelation(rel.at, rel.types[0], left, right, properties)
	return nil
}

// storable evaluates the properties of a pattern into what a node can hold.
func (r *run) storable(m *mapExpression, row row, merge bool) (map[string]any, error) {
	if m == nil {
		return map[string]any{}, nil
	}
	properties := make(map[string]any, len(m.keys))
	for i, key := range m.keys {
		value, err := r.value(m.values[i], row)
		if err != nil {
			return nil, err
		}
		if value, err = propertyValue(m.values[i].place(), key, value); err != nil {
			return nil, err
		}
		if value == nil && merge {
			return nil, faultf(m.values[i].place(), "MERGE cannot use the property %s: its value is null", key)
		}
		put(properties, key, value)
	}
	return properties, nil
}

func (r *run) delete(v *variable, detach bool, row row) error {
	switch of := row[v.slot].(type) {
	case nil:
	case *relation:
		of.deleted = true
	case *node:
		of.deleted = true
		if detach {
			r.graph.work += len(of.out) + len(of.in)
			for _, rel := range of.out {
				rel.deleted = true
			}
			for _, rel := range of.in {
				rel.deleted = true
			}
		}
	default:
		return faultf(v.at, "DELETE needs a node or a relationship, %s is %s", v.name, typeName(of))
	}
	r.deleted = true
	return nil
}

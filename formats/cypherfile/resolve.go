package cypherfile

// resolve gives every variable of a statement its slot and refuses what Neo4j refuses
// before it runs anything: unknown variables, variables declared twice, clauses in an
// order that has no meaning. So a file with such a fault changes nothing.
func resolve(st *statement) error {
	r := &resolver{scope: map[string]known{}, statement: st}
	if len(st.clauses) == 0 {
		return nil
	}
	updated := "" // the updating clause since the last WITH
	for _, c := range st.clauses {
		if s, ok := c.(*schemaClause); ok {
			if len(st.clauses) > 1 {
				return faultf(s.at, "%s must be a statement of its own", s.what)
			}
			return nil
		}
		word := clauseWord(c)
		if m, ok := c.(*matchClause); ok && updated != "" {
			return faultf(m.at, "WITH is required between %s and %s (or a semicolon, if this begins another statement)", updated, word)
		}
		switch c.(type) {
		case *matchClause, *returnClause:
		case *withClause:
			updated = ""
		default:
			updated = word
		}
		if err := r.clause(c); err != nil {
			return err
		}
	}
	last := st.clauses[len(st.clauses)-1]
	switch last.(type) {
	case *matchClause, *withClause:
		return faultf(last.place(), "a statement cannot end with %s: nothing is done with what it finds", clauseWord(last))
	}
	return nil
}

func clauseWord(c clause) string {
	switch c := c.(type) {
	case *createClause:
		return "CREATE"
	case *mergeClause:
		return "MERGE"
	case *matchClause:
		if c.optional {
			return "OPTIONAL MATCH"
		}
		return "MATCH"
	case *setClause:
		return "SET"
	case *removeClause:
		return "REMOVE"
	case *deleteClause:
		if c.detach {
			return "DETACH DELETE"
		}
		return "DELETE"
	case *withClause:
		return "WITH"
	case *returnClause:
		return c.name
	case *schemaClause:
		return c.what
	}
	return "this clause"
}

// kind is what is known about a variable before anything runs.
type kind int

const (
	anyKind kind = iota
	nodeKind
	relationKind
	valueKind
)

func (k kind) String() string {
	return [...]string{"a value", "a node", "a relationship", "a value"}[k]
}

type known struct {
	slot int
	kind kind
}

type resolver struct {
	scope     map[string]known
	statement *statement
	work      int
}

func (r *resolver) declare(name string, k kind) int {
	slot := r.statement.slots
	r.statement.slots++
	if name != "" {
		r.scope[name] = known{slot: slot, kind: k}
	}
	return slot
}

func (r *resolver) clause(c clause) error {
	switch c := c.(type) {
	case *createClause:
		for _, p := range c.paths {
			if err := r.createPath(p, "CREATE"); err != nil {
				return err
			}
		}
	case *mergeClause:
		return r.merge(c)
	case *matchClause:
		return r.match(c)
	case *setClause:
		return r.setItems(c.items)
	case *removeClause:
		return r.setItems(c.items)
	case *deleteClause:
		for _, t := range c.targets {
			if _, ok := t.(*variable); !ok {
				return refused(t.place(), "DELETE of anything but a variable")
			}
			if err := r.expression(t); err != nil {
				return err
			}
			if v := t.(*variable); r.scope[v.name].kind == valueKind {
				return faultf(v.at, "DELETE needs a node or a relationship, %s is a value", v.name)
			}
		}
	case *withClause:
		return r.with(c)
	case *returnClause:
		return r.returns(c)
	}
	return nil
}

func (r *resolver) merge(c *mergeClause) error {
	if len(c.path.nodes) > maxMatched {
		return faultf(c.at, "a path to MERGE can have at most %d nodes", maxMatched)
	}
	if err := r.createPath(c.path, "MERGE"); err != nil {
		return err
	}
	if err := r.setItems(c.onCreate); err != nil {
		return err
	}
	return r.setItems(c.onMatch)
}

// createPath resolves a path of CREATE or MERGE: what is not known is made.
func (r *resolver) createPath(p *path, word string) error {
	for i, n := range p.nodes {
		if i > 0 {
			if err := r.createRelation(p.relations[i-1], word); err != nil {
				return err
			}
		}
		if err := r.properties(n.properties); err != nil {
			return err
		}
		k, ok := r.scope[n.name]
		switch {
		case n.name == "" || !ok:
			n.slot = r.declare(n.name, nodeKind)
		case k.kind == relationKind || k.kind == valueKind:
			return faultf(n.at, "%s is %s and cannot stand for a node", n.name, k.kind)
		case len(p.nodes) == 1:
			return faultf(n.at, "variable %s already has a node: %s cannot make it again", n.name, word)
		case len(n.labels) > 0 || n.properties != nil:
			return faultf(n.at, "variable %s already has a node: labels and properties cannot be given to it here, use SET", n.name)
		default:
			n.slot, n.bound = k.slot, true
		}
	}
	return nil
}

func (r *resolver) createRelation(rel *relationPattern, word string) error {
	if word == "CREATE" && rel.direction == either {
		return faultf(rel.at, "a relationship in CREATE needs a direction: write -[…]-> or <-[…]-")
	}
	if len(rel.types) != 1 {
		return faultf(rel.at, "a relationship in %s needs exactly one type, as in -[:NEXT]->", word)
	}
	if err := r.properties(rel.properties); err != nil {
		return err
	}
	if _, ok := r.scope[rel.name]; ok && rel.name != "" {
		return faultf(rel.at, "variable %s is already used: %s cannot make it again", rel.name, word)
	}
	rel.slot = r.declare(rel.name, relationKind)
	return nil
}

func (r *resolver) match(c *matchClause) error {
	before := r.statement.slots
	elements := 0
	for _, p := range c.paths {
		elements += len(p.nodes)
		for i, n := range p.nodes {
			if i > 0 {
				if err := r.matchRelation(p.relations[i-1]); err != nil {
					return err
				}
			}
			k, ok := r.scope[n.name]
			switch {
			case n.name == "" || !ok:
				n.slot = r.declare(n.name, nodeKind)
			case k.kind == relationKind || k.kind == valueKind:
				return faultf(n.at, "%s is %s and cannot stand for a node", n.name, k.kind)
			default:
				n.slot, n.bound = k.slot, true
			}
			if err := r.properties(n.properties); err != nil {
				return err
			}
		}
	}
	if elements > maxMatched {
		return faultf(c.at, "one MATCH can have at most %d nodes", maxMatched)
	}
	for slot := before; slot < r.statement.slots; slot++ {
		c.fresh = append(c.fresh, slot)
	}
	return r.optionalExpression(c.where)
}

func (r *resolver) matchRelation(rel *relationPattern) error {
	k, ok := r.scope[rel.name]
	switch {
	case rel.name == "" || !ok:
		rel.slot = r.declare(rel.name, relationKind)
	case k.kind == nodeKind || k.kind == valueKind:
		return faultf(rel.at, "%s is %s and cannot stand for a relationship", rel.name, k.kind)
	default:
		rel.slot, rel.bound = k.slot, true
	}
	return r.properties(rel.properties)
}

func (r *resolver) properties(m *mapExpression) error {
	if m == nil {
		return nil
	}
	return r.expression(m)
}

func (r *resolver) setItems(items []setItem) error {
	for i := range items {
		if err := r.expression(items[i].target); err != nil {
			return err
		}
		if k := r.scope[items[i].target.name].kind; k == valueKind || k == relationKind && len(items[i].labels) > 0 {
			return faultf(items[i].at, "%s is %s: it cannot be changed so", items[i].target.name, k)
		}
		if err := r.optionalExpression(items[i].value); err != nil {
			return err
		}
	}
	return nil
}

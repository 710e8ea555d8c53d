package cypherfile

// paths reads patterns with commas between them.
func (p *parser) paths() ([]*path, error) {
	var all []*path
	for {
		one, err := p.path()
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		if !p.accept(",") {
			return all, nil
		}
	}
}

func (p *parser) path() (*path, error) {
	t := p.peek()
	if t.kind == name || t.kind == quotedName {
		if p.ahead(1).isSign("=") {
			return nil, refused(t.at, "a name for a whole path ("+t.value+" = …)")
		}
		if t.is("shortestPath") || t.is("allShortestPaths") {
			return nil, refused(t.at, t.value)
		}
	}
	if t.isSign("(") && p.ahead(1).isSign("(") {
		return nil, refused(t.at, "a pattern in brackets")
	}
	out := &path{at: t.at}
	node, err := p.node()
	if err != nil {
		return nil, err
	}
	out.nodes = append(out.nodes, node)
	for p.peek().isSign("-") || p.peek().isSign("<") {
		relation, err := p.relation()
		if err != nil {
			return nil, err
		}
		if node, err = p.node(); err != nil {
			return nil, err
		}
		out.relations = append(out.relations, relation)
		out.nodes = append(out.nodes, node)
	}
	return out, nil
}

// node reads (name:LABEL {properties}).
func (p *parser) node() (*nodePattern, error) {
	n := &nodePattern{at: p.peek().at, slot: -1}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if t := p.peek(); (t.kind == name || t.kind == quotedName) && !(t.is("IS") && p.ahead(1).kind == name) {
		n.name = t.value
		p.next++
	}
	var err error
	if p.peek().isSign(":") || p.peek().is("IS") {
		if n.labels, err = p.labels(); err != nil {
			return nil, err
		}
	}
	if n.properties, err = p.patternProperties(); err != nil {
		return nil, err
	}
	if p.accept(")") {
		return n, nil
	}
	return nil, p.unexpected(`")"`)
}

// labels reads :A:B or IS A.
func (p *parser) labels() ([]string, error) {
	var all []string
	for first := true; ; first = false {
		switch {
		case p.accept(":"), first && p.word("IS"):
		case p.peek().isSign("|"):
			return nil, refused(p.peek().at, "a choice of labels")
		case p.peek().isSign("&"):
			return nil, refused(p.peek().at, "a label expression")
		default:
			return all, nil
		}
		if t := p.peek(); t.isSign("!") || t.isSign("%") || t.isSign("(") || t.isSign("$") {
			return nil, refused(t.at, "a label expression")
		}
		label, err := p.identifier("a label")
		if err != nil {
			return nil, err
		}
		all = append(all, label)
	}
}

// patternProperties reads {key: value, …} if it comes next.
func (p *parser) patternProperties() (*mapExpression, error) {
	switch t := p.peek(); {
	case t.isSign("{"):
		return p.mapLiteral()
	case t.isSign("$"):
		return nil, refused(t.at, "a parameter ($"+p.ahead(1).value+")")
	case t.is("WHERE"):
		return nil, refused(t.at, "WHERE inside a pattern")
	}
	return nil, nil
}

// relation reads -[name:TYPE {properties}]-> in all its forms.
func (p *parser) relation() (*relationPattern, error) {
	r := &relationPattern{at: p.peek().at, slot: -1}
	left := p.accept("<")
	if err := p.expect("-"); err != nil {
		return nil, err
	}
	if p.accept("[") {
		if err := p.relationBody(r); err != nil {
			return nil, err
		}
		if err := p.expect("]"); err != nil {
			return nil, err
		}
	}
	if err := p.expect("-"); err != nil {
		return nil, err
	}
	right := p.accept(">")
	switch {
	case left == right:
		r.direction = either
	case left:
		r.direction = incoming
	}
	return r, nil
}

func (p *parser) relationBody(r *relationPattern) error {
	if t := p.peek(); (t.kind == name || t.kind == quotedName) && !(t.is("IS") && p.ahead(1).kind == name) {
		r.name = t.value
		p.next++
	}
	if p.accept(":") || p.word("IS") {
		for {
			if t := p.peek(); t.isSign("!") || t.isSign("%") || t.isSign("(") || t.isSign("$") {
				return refused(t.at, "an expression of relationship types")
			}
			kind, err := p.identifier("a relationship type")
			if err != nil {
				return err
			}
			r.types = append(r.types, kind)
			if !p.accept("|") {
				break
			}
			p.accept(":")
		}
	}
	if t := p.peek(); t.isSign("*") {
		return refused(t.at, "a path of variable length")
	}
	var err error
	r.properties, err = p.patternProperties()
	return err
}

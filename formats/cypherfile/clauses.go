package cypherfile

import "strings"

func (p *parser) create(at int) (clause, error) {
	paths, err := p.paths()
	return &createClause{at: at, paths: paths}, err
}

func (p *parser) match(at int, optional bool) (clause, error) {
	c := &matchClause{at: at, optional: optional}
	var err error
	if c.paths, err = p.paths(); err != nil {
		return nil, err
	}
	c.where, err = p.where()
	return c, err
}

func (p *parser) where() (expression, error) {
	if !p.word("WHERE") {
		return nil, nil
	}
	return p.expression()
}

func (p *parser) merge(at int) (clause, error) {
	c := &mergeClause{at: at}
	var err error
	if c.path, err = p.path(); err != nil {
		return nil, err
	}
	for p.word("ON") {
		into := &c.onCreate
		if p.word("MATCH") {
			into = &c.onMatch
		} else if !p.word("CREATE") {
			return nil, p.unexpected("CREATE or MATCH")
		}
		if !p.word("SET") {
			return nil, p.unexpected("SET")
		}
		items, err := p.setItems(true)
		if err != nil {
			return nil, err
		}
		*into = append(*into, items...)
	}
	return c, nil
}

func (p *parser) delete(at int, detach bool) (clause, error) {
	c := &deleteClause{at: at, detach: detach}
	for {
		target, err := p.expression()
		if err != nil {
			return nil, err
		}
		c.targets = append(c.targets, target)
		if !p.accept(",") {
			return c, nil
		}
	}
}

// setItems reads what follows SET, or without values what follows REMOVE.
func (p *parser) setItems(values bool) ([]setItem, error) {
	var items []setItem
	for {
		item, err := p.setItem(values)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if !p.accept(",") {
			return items, nil
		}
	}
}

func (p *parser) setItem(values bool) (setItem, error) {
	t := p.peek()
	variableName, err := p.identifier("a variable")
	if err != nil {
		return setItem{}, err
	}
	item := setItem{at: t.at, remove: !values, target: &variable{at: t.at, name: variableName}}
	switch {
	case p.peek().isSign(":") || p.peek().is("IS"):
		item.labels, err = p.labels()
		return item, err
	case p.accept("."):
		if item.key, err = p.identifier("a property"); err != nil || !values {
			return item, err
		}
		if p.peek().isSign(".") {
			return item, p.unexpected(`"="`)
		}
		if err = p.expect("="); err != nil {
			return item, err
		}
	case p.peek().isSign("["):
		return item, refused(p.peek().at, "a property named by an expression")
	case !values:
		return item, p.unexpected(`"." and a property, or ":" and a label`)
	case p.accept("+="):
		item.add = true
	case !p.accept("="):
		return item, p.unexpected(`".", "=", "+=" or ":"`)
	}
	item.value, err = p.expression()
	return item, err
}

func (p *parser) with(at int) (clause, error) {
	c := &withClause{at: at, distinct: p.word("DISTINCT")}
	var err error
	if c.all, c.items, err = p.projection(); err != nil {
		return nil, err
	}
	c.where, err = p.where()
	return c, err
}

func (p *parser) returns(at int) (clause, error) {
	p.lenient = true
	defer func() { p.lenient = false }()
	c := &returnClause{at: at, name: "RETURN"}
	p.word("DISTINCT")
	var err error
	if c.all, c.items, err = p.projection(); err != nil {
		return nil, err
	}
	if p.word("ORDER") {
		if !p.word("BY") {
			return nil, p.unexpected("BY")
		}
		if c.order, err = p.orderItems(); err != nil {
			return nil, err
		}
	}
	if p.word("SKIP") || p.word("OFFSET") {
		if _, err := p.expression(); err != nil {
			return nil, err
		}
	}
	if p.word("LIMIT") {
		if _, err := p.expression(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (p *parser) orderItems() ([]expression, error) {
	var items []expression
	for {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, e)
		_ = p.word("DESC") || p.word("DESCENDING") || p.word("ASC") || p.word("ASCENDING")
		if !p.accept(",") {
			return items, nil
		}
	}
}

// columnName is what Neo4j calls a column of a RETURN without AS: its text.
func columnName(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.value)
		b.WriteByte(' ')
	}
	return b.String()
}

// projection reads the items of WITH or RETURN.
func (p *parser) projection() (all bool, items []withItem, err error) {
	if p.accept("*") {
		all = true
		if !p.accept(",") {
			return all, nil, nil
		}
	}
	for {
		item := withItem{at: p.peek().at, slot: -1}
		begin := p.next
		if item.value, err = p.expression(); err != nil {
			return all, nil, err
		}
		if v, ok := item.value.(*variable); ok {
			item.name = v.name
		} else if p.lenient {
			item.name = columnName(p.tokens[begin:p.next])
		}
		if p.word("AS") {
			if item.name, err = p.identifier("a name"); err != nil {
				return all, nil, err
			}
		}
		if item.name == "" && !p.lenient {
			return all, nil, faultf(item.at, "an expression in WITH needs a name: add AS and a name")
		}
		items = append(items, item)
		if !p.accept(",") {
			return all, items, nil
		}
	}
}

package cypherfile

import "strings"

// atom reads a literal, a variable, a list, a map or an expression in brackets.
func (p *parser) atom() (expression, error) {
	t := p.peek()
	switch t.kind {
	case text:
		p.next++
		return &literal{at: t.at, value: t.value}, nil
	case integer, float:
		p.next++
		value, err := numberValue(t, false)
		return &literal{at: t.at, value: value}, err
	case quotedName:
		return p.variableOrCall()
	case name:
		return p.wordValue()
	case sign:
		switch t.value {
		case "[":
			return p.listLiteral()
		case "{":
			return p.mapLiteral()
		case "(":
			return p.brackets()
		case "$":
			return nil, refused(t.at, "a parameter ($"+p.ahead(1).value+")")
		case "*":
			if p.lenient && p.next > 0 && p.tokens[p.next-1].isSign("(") { // count(*)
				p.next++
				return &literal{at: t.at}, nil
			}
		}
	}
	return nil, p.unexpected("a value")
}

// wordValue reads a value that begins with a word.
func (p *parser) wordValue() (expression, error) {
	t := p.peek()
	after := p.ahead(1)
	switch strings.ToUpper(t.value) {
	case "TRUE", "FALSE":
		p.next++
		return &literal{at: t.at, value: t.is("TRUE")}, nil
	case "NULL":
		p.next++
		return &literal{at: t.at}, nil
	case "INF", "INFINITY", "NAN":
		return nil, refused(t.at, "the number "+t.value)
	case "CASE":
		if after.kind != sign || after.isSign("(") || after.isSign("[") || after.isSign("{") {
			return nil, refused(t.at, "CASE")
		}
	case "EXISTS", "COUNT", "COLLECT":
		if after.isSign("{") {
			return nil, refused(t.at, strings.ToUpper(t.value)+" {…}")
		}
	}
	return p.variableOrCall()
}

func (p *parser) variableOrCall() (expression, error) {
	t := p.take()
	n := 0 // a function's name may have dots: apoc.text.join(
	for p.ahead(n).isSign(".") && p.ahead(n+1).kind == name {
		n += 2
	}
	if !p.ahead(n).isSign("(") {
		return &variable{at: t.at, name: t.value, slot: -1}, nil
	}
	full := t.value
	for ; n > 0; n -= 2 {
		p.next++
		full += "." + p.take().value
	}
	if !p.lenient {
		return nil, refused(t.at, "the function "+full+"()")
	}
	return p.call(t.at)
}

func (p *parser) call(at int) (expression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	c := &call{at: at}
	p.next++ // (
	p.word("DISTINCT")
	if p.accept(")") {
		return c, nil
	}
	for {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		c.arguments = append(c.arguments, e)
		if p.accept(",") {
			continue
		}
		return c, p.expect(")")
	}
}

func (p *parser) brackets() (expression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.next++
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	return e, p.expect(")")
}

func (p *parser) listLiteral() (expression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	list := &listExpression{at: p.take().at}
	if p.accept("]") {
		return list, nil
	}
	for {
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, item)
		if p.accept(",") {
			continue
		}
		if p.accept("]") {
			return list, nil
		}
		if t := p.peek(); t.isSign("|") || t.is("WHERE") {
			return nil, refused(list.at, "a list comprehension")
		}
		return nil, p.unexpected(`"," or "]"`)
	}
}

func (p *parser) mapLiteral() (*mapExpression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	m := &mapExpression{at: p.take().at}
	if p.accept("}") {
		return m, nil
	}
	for {
		key, err := p.identifier("a property name")
		if err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		value, err := p.expression()
		if err != nil {
			return nil, err
		}
		m.keys = append(m.keys, key)
		m.values = append(m.values, value)
		if p.accept(",") {
			continue
		}
		if p.accept("}") {
			return m, nil
		}
		return nil, p.unexpected(`"," or "}"`)
	}
}

package expressions

// primary reads an atom and the calls, attributes and indexes behind it.
func (p *parser) primary() (node, error) {
	n, err := p.atom()
	for err == nil {
		t := p.peek()
		switch {
		case p.is("."):
			n, err = p.attribute(n)
		case p.is("("):
			n, err = p.call(n)
		case p.is("["):
			n, err = p.subscript(n)
		default:
			return n, nil
		}
		if err == nil && t.kind == endToken {
			break
		}
	}
	return nil, err
}

func (p *parser) attribute(of node) (node, error) {
	p.take()
	t := p.peek()
	if t.kind != nameToken {
		return nil, p.fail("the name of a method is missing behind the dot")
	}
	p.take()
	return &attribute{of: of, name: t.text, column: t.column}, nil
}

func (p *parser) call(of node) (node, error) {
	c := &call{of: of, column: p.take().column}
	for !p.is(")") {
		if p.is("*", "**") {
			return nil, p.fail("arguments are written out here, one by one")
		}
		if t := p.peek(); t.kind == nameToken && p.tokens[p.at+1].text == "=" && p.tokens[p.at+1].kind == signToken {
			p.at += 2
			value, err := p.expression()
			if err != nil {
				return nil, err
			}
			c.names, c.named = append(c.names, t.text), append(c.named, value)
		} else if err := p.positional(c); err != nil {
			return nil, err
		}
		if _, more := p.accept(","); !more {
			break
		}
	}
	return c, p.expect(")")
}

// positional reads an argument without a name, which may be a generator.
func (p *parser) positional(c *call) error {
	if len(c.names) > 0 {
		return p.fail("an argument without a name stands behind one with a name")
	}
	column := p.peek().column
	value, err := p.expression()
	if err != nil {
		return err
	}
	if p.is("for") {
		if len(c.args) > 0 {
			return p.fail("a generator beside other arguments needs brackets of its own")
		}
		if value, err = p.comprehension('(', value, nil, column); err != nil {
			return err
		}
		if !p.is(")") {
			return p.fail("a generator beside other arguments needs brackets of its own")
		}
	}
	c.args = append(c.args, value)
	return nil
}

func (p *parser) subscript(of node) (node, error) {
	column := p.take().column
	s := &slice{of: of, column: column}
	parts := []*node{&s.from, &s.to, &s.steps}
	colons := 0
	for !p.is("]") {
		if _, ok := p.accept(":"); ok {
			if colons++; colons == len(parts) {
				return nil, p.fail("a slice has at most three parts")
			}
			continue
		}
		if *parts[colons] != nil {
			return nil, p.unexpected()
		}
		part, err := p.expression()
		if err != nil {
			return nil, err
		}
		*parts[colons] = part
	}
	if err := p.expect("]"); err != nil {
		return nil, err
	}
	switch {
	case colons > 0:
		return s, nil
	case s.from == nil:
		return nil, p.fail("there is no index in the brackets")
	}
	return &index{of: of, at: s.from, column: column}, nil
}

var constants = map[string]any{"None": nil, "True": true, "False": false}

func (p *parser) atom() (node, error) {
	t := p.peek()
	switch t.kind {
	case nameToken:
		p.take()
		return &name{name: t.text, column: t.column}, nil
	case wordToken:
		if value, ok := constants[t.text]; ok {
			p.take()
			return &constant{value}, nil
		}
	case numberToken:
		p.take()
		value, err := number(t.text)
		if err != nil {
			return nil, placed(err, t.column)
		}
		return &constant{value}, nil
	case textToken:
		return p.texts()
	case signToken:
		switch t.text {
		case "(":
			return p.brackets()
		case "[":
			return p.list()
		case "{":
			return p.braces()
		}
	}
	return nil, p.unexpected()
}

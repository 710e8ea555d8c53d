package expressions

// primary reads an atom and the calls, methods and indexes behind it.
func (p *parser) primary() (node, error) {
	n, err := p.atom()
	for err == nil {
		switch {
		case p.is("."):
			n, err = p.method(n)
		case p.is("("):
			n, err = p.function(n)
		case p.is("["):
			n, err = p.subscript(n)
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *parser) method(of node) (node, error) {
	p.take()
	t := p.peek()
	if t.kind != nameToken {
		return nil, p.fail("the name of a method is missing behind the dot")
	}
	p.take()
	if !p.is("(") {
		return nil, unsupported(t.column, "a value has no attribute "+t.text+" here; a method is called, as in lower()")
	}
	c := &call{of: of, name: t.text, column: t.column}
	if text, ok := of.(*constant); ok && t.text == "format" {
		if text, ok := text.value.(string); ok {
			if _, err := formatFields(text); err != nil {
				return nil, unsupported(t.column, err.Error())
			}
		}
	}
	return c, p.arguments(c)
}

func (p *parser) function(of node) (node, error) {
	n, ok := of.(*name)
	if !ok {
		return nil, p.fail("only functions and methods can be called")
	}
	c := &call{name: n.name, column: n.column}
	return c, p.arguments(c)
}

func (p *parser) arguments(c *call) error {
	c.open = p.take().column
	for !p.is(")") {
		if p.is("*", "**") {
			return p.fail("arguments are written out here, one by one")
		}
		if t := p.peek(); t.kind == nameToken && p.tokens[p.at+1].text == "=" && p.tokens[p.at+1].kind == signToken {
			return unsupported(t.column, "arguments by name are not supported here: "+t.text)
		}
		column := p.peek().column
		value, err := p.expression()
		if err != nil {
			return err
		}
		if p.is("for") {
			if value, err = p.comprehension(value, column); err != nil {
				return err
			}
			if len(c.args) > 0 || !p.is(")") {
				return p.fail("a generator beside other arguments needs brackets of its own")
			}
		}
		c.args = append(c.args, value)
		if _, more := p.accept(","); !more {
			break
		}
	}
	return p.expect(")")
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
	p.take()
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

// brackets reads the contents of round brackets: one expression, several or a generator.
func (p *parser) brackets() (node, error) {
	t := p.take()
	if _, ok := p.accept(")"); ok {
		return &display{column: t.column}, nil
	}
	n, err := p.oneOrList(")")
	if err != nil {
		return nil, err
	}
	if p.is("for") && p.tokens[p.at-1].text != "," {
		if n, err = p.comprehension(n, t.column); err != nil {
			return nil, err
		}
	}
	return n, p.expect(")")
}

// oneOrList reads one expression, or several with commas between, up to a closing sign.
func (p *parser) oneOrList(end string) (node, error) {
	column := p.peek().column
	first, err := p.expression()
	if err != nil || !p.is(",") {
		return first, err
	}
	items := []node{first}
	for {
		if _, ok := p.accept(","); !ok || p.peek().kind == endToken || end != "" && p.is(end) {
			return &display{items: items, column: column}, nil
		}
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

func (p *parser) list() (node, error) {
	t := p.take()
	d := &display{column: t.column}
	for !p.is("]") {
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		if p.is("for") && len(d.items) == 0 {
			n, err := p.comprehension(item, t.column)
			if err != nil {
				return nil, err
			}
			return n, p.expect("]")
		}
		d.items = append(d.items, item)
		if _, more := p.accept(","); !more {
			break
		}
	}
	return d, p.expect("]")
}

// braces reads a set or a dictionary.
func (p *parser) braces() (node, error) {
	column := p.take().column
	var keys, values []node
	for !p.is("}") {
		key, err := p.expression()
		if err != nil {
			return nil, err
		}
		if _, ok := p.accept(":"); ok {
			value, err := p.expression()
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		if p.is("for") {
			return nil, unsupported(p.peek().column, "comprehensions of sets and dictionaries are not supported here")
		}
		keys = append(keys, key)
		if len(values) > 0 && len(values) < len(keys) {
			return nil, p.fail("a set has items and a dictionary has keys with values, not both")
		}
		if _, more := p.accept(","); !more {
			break
		}
	}
	if len(values) == 0 && len(keys) > 0 {
		return &display{set: true, items: keys, column: column}, p.expect("}")
	}
	return &dictDisplay{keys: keys, values: values, column: column}, p.expect("}")
}

// comprehension reads the clauses behind the item.
func (p *parser) comprehension(item node, column int) (node, error) {
	c := &comprehension{item: item, column: column}
	for {
		t, ok := p.accept("for")
		if !ok {
			return c, nil
		}
		one := clause{column: t.column}
		var err error
		if one.targets, err = p.targets(); err != nil {
			return nil, err
		}
		if err = p.expect("in"); err != nil {
			return nil, err
		}
		if one.over, err = p.or(); err != nil {
			return nil, err
		}
		for {
			if _, ok := p.accept("if"); !ok {
				break
			}
			test, err := p.or()
			if err != nil {
				return nil, err
			}
			one.tests = append(one.tests, test)
		}
		c.clauses = append(c.clauses, one)
	}
}

// targets reads the names that the items get, with or without brackets around several.
func (p *parser) targets() ([]string, error) {
	_, bracket := p.accept("(")
	var names []string
	for p.peek().kind == nameToken {
		names = append(names, p.take().text)
		if _, more := p.accept(","); !more {
			break
		}
	}
	if len(names) == 0 {
		return nil, p.fail("a name for the items is missing here")
	}
	if bracket {
		return names, p.expect(")")
	}
	return names, nil
}

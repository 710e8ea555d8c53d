package expressions

// brackets reads what stands in round brackets: one expression, a tuple or a generator.
func (p *parser) brackets() (node, error) {
	t := p.take()
	if _, ok := p.accept(")"); ok {
		return &display{kind: '(', column: t.column}, nil
	}
	n, err := p.tupleOrOne(")")
	if err != nil {
		return nil, err
	}
	if p.is("for") {
		if _, isTuple := n.(*display); isTuple && p.tokens[p.at-1].text == "," {
			return nil, p.unexpected()
		}
		if n, err = p.comprehension('(', n, nil, t.column); err != nil {
			return nil, err
		}
	}
	return n, p.expect(")")
}

// tupleOrOne reads one expression, or several with commas between, up to a closing sign.
func (p *parser) tupleOrOne(end string) (node, error) {
	column := p.peek().column
	first, err := p.expression()
	if err != nil || !p.is(",") {
		return first, err
	}
	items := []node{first}
	for {
		if _, ok := p.accept(","); !ok || p.peek().kind == endToken || end != "" && p.is(end) {
			return &display{kind: '(', items: items, column: column}, nil
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
	d := &display{kind: '[', column: t.column}
	for !p.is("]") {
		item, err := p.expression()
		if err != nil {
			return nil, err
		}
		if p.is("for") && len(d.items) == 0 {
			n, err := p.comprehension('[', item, nil, t.column)
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
		key, value, err := p.entry()
		if err != nil {
			return nil, err
		}
		if len(keys) > 0 && (value == nil) != (len(values) == 0) {
			return nil, p.fail("a set has items and a dictionary has keys with values, not both")
		}
		if p.is("for") && len(keys) == 0 {
			kind := byte('{')
			if value != nil {
				kind = 'd'
			}
			n, err := p.comprehension(kind, key, value, column)
			if err != nil {
				return nil, err
			}
			return n, p.expect("}")
		}
		keys = append(keys, key)
		if value != nil {
			values = append(values, value)
		}
		if _, more := p.accept(","); !more {
			break
		}
	}
	if len(values) == 0 && len(keys) > 0 {
		return &display{kind: '{', items: keys, column: column}, p.expect("}")
	}
	return &dictDisplay{keys: keys, values: values, column: column}, p.expect("}")
}

// entry reads an item of a set, or a key with its value.
func (p *parser) entry() (key, value node, err error) {
	if key, err = p.expression(); err != nil {
		return nil, nil, err
	}
	if _, ok := p.accept(":"); ok {
		value, err = p.expression()
	}
	return key, value, err
}

// comprehension reads the clauses behind the item.
func (p *parser) comprehension(kind byte, item, value node, column int) (node, error) {
	c := &comprehension{kind: kind, item: item, value: value, column: column}
	for {
		t, ok := p.accept("for")
		if !ok {
			return c, nil
		}
		targets, err := p.targets()
		if err != nil {
			return nil, err
		}
		if err := p.expect("in"); err != nil {
			return nil, err
		}
		over, err := p.or()
		if err != nil {
			return nil, err
		}
		one := clause{targets: targets, over: over, column: t.column}
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
		return nil, p.fail("want a name for the items here")
	}
	if bracket {
		return names, p.expect(")")
	}
	return names, nil
}

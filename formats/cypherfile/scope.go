package cypherfile

// with resolves a WITH: what it names is all that the rest of the statement knows.
func (r *resolver) with(c *withClause) error {
	after := make(map[string]known, len(c.items))
	named := make(map[string]bool, len(c.items))
	r.work += len(r.scope)
	if r.work > maxWork {
		return faultf(c.at, "this statement has too many variables and WITH clauses")
	}
	if c.all {
		for name, k := range r.scope {
			after[name] = k
		}
	}
	for i := range c.items {
		item := &c.items[i]
		if err := r.expression(item.value); err != nil {
			return err
		}
		if named[item.name] {
			return faultf(item.at, "WITH names %s twice", item.name)
		}
		named[item.name] = true
		k := valueKind
		if v, ok := item.value.(*variable); ok {
			k = r.scope[v.name].kind
		} else if l, ok := item.value.(*literal); ok && l.value == nil {
			k = anyKind
		}
		item.slot = r.declare("", k)
		after[item.name] = known{slot: item.slot, kind: k}
	}
	before := r.scope
	r.scope = after
	if c.where == nil {
		return nil
	}
	// WHERE behind WITH sees the new names and, behind them, the old ones.
	for name, k := range before {
		if _, ok := after[name]; !ok {
			r.scope[name] = k
		}
	}
	err := r.expression(c.where)
	for name := range before {
		if !c.all && !named[name] {
			delete(r.scope, name)
		}
	}
	return err
}

func (r *resolver) returns(c *returnClause) error {
	if c.all && len(r.scope) == 0 {
		return faultf(c.at, "RETURN * needs a variable to return")
	}
	for i := range c.items {
		if err := r.expression(c.items[i].value); err != nil {
			return err
		}
	}
	named := map[string]bool{}
	for i := range c.items {
		if name := c.items[i].name; name != "" && named[name] {
			return faultf(c.items[i].at, "RETURN names %s twice", name)
		}
		named[c.items[i].name] = true
	}
	for i := range c.items { // ORDER BY may use the names given by AS
		if name := c.items[i].name; name != "" {
			if _, ok := r.scope[name]; !ok {
				r.scope[name] = known{slot: -1}
			}
		}
	}
	for _, e := range c.order {
		if err := r.expression(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) optionalExpression(e expression) error {
	if e == nil {
		return nil
	}
	return r.expression(e)
}

// expression finds the slots of the variables in e.
func (r *resolver) expression(e expression) error {
	switch e := e.(type) {
	case *variable:
		k, ok := r.scope[e.name]
		if !ok {
			return faultf(e.at, "variable %s is not defined in this statement (variables end with their statement)", e.name)
		}
		e.slot = k.slot
	case *listExpression:
		return r.expressions(e.items)
	case *mapExpression:
		return r.expressions(e.values)
	case *propertyExpression:
		return r.expression(e.of)
	case *labelExpression:
		return r.expression(e.of)
	case *unary:
		return r.expression(e.of)
	case *binary:
		if err := r.expression(e.left); err != nil {
			return err
		}
		return r.expression(e.right)
	case *call:
		return r.expressions(e.arguments)
	}
	return nil
}

func (r *resolver) expressions(all []expression) error {
	for _, e := range all {
		if err := r.expression(e); err != nil {
			return err
		}
	}
	return nil
}

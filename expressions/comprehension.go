package expressions

import "errors"

func (c *comprehension) eval(r *run) (any, error) {
	// The first list is evaluated at once, as in Python; all else as items are asked for.
	first, err := c.clauses[0].over.eval(r)
	if err != nil {
		return nil, err
	}
	g := &generator{}
	outer := append([]binding(nil), r.local...)
	g.each = func(yield func(any) error) error {
		g.each = func(func(any) error) error { return nil } // its items are given once
		caller := r.local
		r.local = append([]binding(nil), outer...)
		defer func() { r.local = caller }()
		return c.clause(r, 0, first, func(item any) error {
			own := r.local
			r.local = caller // what is done with the item knows other names
			defer func() { r.local = own }()
			return yield(item)
		})
	}
	if c.kind == '(' {
		return g, nil
	}
	var items []any
	err = g.each(func(v any) error {
		items = append(items, v)
		return r.takeItems(1)
	})
	if err != nil {
		return nil, placed(err, c.column)
	}
	switch c.kind {
	case '{':
		made, err := r.setOf(items)
		return made, placed(err, c.column)
	case 'd':
		made := newDict()
		for _, pair := range items {
			if err := made.put(r, pair.(tuple)[0], pair.(tuple)[1]); err != nil {
				return nil, placed(err, c.column)
			}
		}
		return made, nil
	}
	if items == nil {
		items = []any{}
	}
	return items, nil
}

// clause goes over the items of the n-th clause and, within each, over those behind it.
func (c *comprehension) clause(r *run, n int, over any, yield func(any) error) error {
	one := &c.clauses[n]
	err := r.each(over, func(item any) error {
		depth := len(r.local)
		defer func() { r.local = r.local[:depth] }()
		if err := r.bind(one, item); err != nil {
			return err
		}
		for _, test := range one.tests {
			holds, err := test.eval(r)
			if err != nil || !truth(holds) {
				return err
			}
		}
		if n+1 == len(c.clauses) {
			return c.yield(r, yield)
		}
		next, err := c.clauses[n+1].over.eval(r)
		if err != nil {
			return err
		}
		return c.clause(r, n+1, next, yield)
	})
	return placed(err, one.column)
}

// bind gives the item its name, or its parts theirs.
func (r *run) bind(c *clause, item any) error {
	if len(c.targets) == 1 {
		r.local = append(r.local, binding{c.targets[0], item})
		return nil
	}
	parts, err := r.items(item)
	if err != nil {
		return err
	}
	if len(parts) != len(c.targets) {
		return faultf("an item has %d parts, and there are %d names for them", len(parts), len(c.targets))
	}
	for i, part := range parts {
		r.local = append(r.local, binding{c.targets[i], part})
	}
	return nil
}

func (c *comprehension) yield(r *run, yield func(any) error) error {
	item, err := c.item.eval(r)
	if err != nil {
		return err
	}
	if c.value != nil {
		value, err := c.value.eval(r)
		if err != nil {
			return err
		}
		item = tuple{item, value}
	}
	return yield(item)
}

// each goes over the items of a value until yield gives an error, which it returns.
func (r *run) each(v any, yield func(any) error) error {
	one := func(item any) error {
		if err := r.spend(1); err != nil {
			return err
		}
		return yield(item)
	}
	switch v := v.(type) {
	case string:
		for _, c := range v {
			if err := one(string(c)); err != nil {
				return err
			}
		}
		return nil
	case *generator:
		return v.each(one)
	}
	items, ok := sequence(v)
	if !ok {
		return faultf("%s has no items to go over", typeName(v))
	}
	for _, item := range items {
		if err := one(item); err != nil {
			return err
		}
	}
	return nil
}

// find goes over the items until one is what is looked for.
func (r *run) find(v any, is func(any) (bool, error)) (found bool, err error) {
	err = r.each(v, func(item any) error {
		ok, err := is(item)
		if err == nil && ok {
			return errFound
		}
		return err
	})
	if err == errFound {
		return true, nil
	}
	return false, err
}

// errFound ends going over items early.
var errFound = errors.New("found")

// sequence gives the items of what keeps them in a list.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case tuple:
		return v, true
	case *set:
		return v.items.keys, true
	case *dict:
		return v.keys, true
	}
	return nil, false
}

// items gives the items of a value as a list of its own.
func (r *run) items(v any) ([]any, error) {
	items := []any{}
	err := r.each(v, func(item any) error {
		items = append(items, item)
		return r.takeItems(1)
	})
	return items, err
}

func (r *run) setOf(items []any) (*set, error) {
	made := &set{items: *newDict()}
	for _, item := range items {
		if err := made.items.put(r, item, nil); err != nil {
			return nil, err
		}
	}
	return made, nil
}

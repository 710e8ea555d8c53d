package expressions

import "errors"

// eval gives the items of a comprehension as a list.
func (c *comprehension) eval(r *run) (any, error) {
	items := []any{}
	err := c.each(r, func(v any) error {
		items = append(items, v)
		return placed(r.takeItems(1), c.column)
	})
	return items, err
}

// find goes over the items until one passes the test.
func (c *comprehension) find(r *run, is func(any) bool) (bool, error) {
	return found(c.each(r, func(v any) error {
		if is(v) {
			return errFound
		}
		return nil
	}))
}

// each makes the items one after the other.
func (c *comprehension) each(r *run, yield func(any) error) error {
	return c.clause(r, 0, func() error {
		item, err := c.item.eval(r)
		if err != nil {
			return err
		}
		return yield(item)
	})
}

// clause goes over the items of the n-th clause and, within each, over those behind it.
func (c *comprehension) clause(r *run, n int, yield func() error) error {
	if n == len(c.clauses) {
		return yield()
	}
	one := &c.clauses[n]
	over, err := one.over.eval(r)
	if err != nil {
		return err
	}
	err = r.each(over, func(item any) error {
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
		return c.clause(r, n+1, yield)
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

// each goes over the items of a value until yield gives an error, which it returns.
func (r *run) each(v any, yield func(any) error) error {
	one := func(item any) error {
		if err := r.spend(1); err != nil {
			return err
		}
		return yield(item)
	}
	if text, ok := v.(string); ok {
		for _, c := range text {
			if err := one(string(c)); err != nil {
				return err
			}
		}
		return nil
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

// find goes over the items of a value until one passes the test.
func (r *run) find(v any, is func(any) (bool, error)) (bool, error) {
	return found(r.each(v, func(item any) error {
		ok, err := is(item)
		if err == nil && ok {
			return errFound
		}
		return err
	}))
}

// errFound ends going over items early.
var errFound = errors.New("found")

func found(err error) (bool, error) {
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// sequence gives the items of a value that keeps them in a list.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
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

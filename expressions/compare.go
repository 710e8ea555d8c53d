package expressions

import "strings"

// compare applies one operator that compares.
func (r *run) compare(operator string, left, right any) (bool, error) {
	if err := r.spend(1); err != nil {
		return false, err
	}
	switch operator {
	case "==":
		return r.equal(left, right)
	case "!=":
		equal, err := r.equal(left, right)
		return !equal, err
	case "in":
		return r.contains(right, left)
	case "not in":
		found, err := r.contains(right, left)
		return !found, err
	case "is":
		return identical(left, right)
	case "is not":
		same, err := identical(left, right)
		return !same, err
	}
	return r.ordered(operator, left, right)
}

// equal is ==, which works between all values.
func (r *run) equal(left, right any) (bool, error) {
	if isNumber(left) && isNumber(right) {
		order, ok := compareNumbers(left, right)
		return ok && order == 0, nil
	}
	switch a := left.(type) {
	case nil:
		return right == nil, nil
	case string:
		b, ok := right.(string)
		if !ok || len(a) != len(b) {
			return false, nil
		}
		return a == b, r.look(len(a))
	case []any:
		b, ok := right.([]any)
		if !ok {
			return false, nil
		}
		return r.equalItems(a, b)
	case *set:
		b, ok := right.(*set)
		if !ok || len(a.items.keys) != len(b.items.keys) {
			return false, nil
		}
		return r.within(a, b)
	case *dict:
		b, ok := right.(*dict)
		if !ok || len(a.keys) != len(b.keys) {
			return false, nil
		}
		return r.equalDicts(a, b)
	}
	return false, nil
}

func (r *run) equalItems(a, b []any) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if err := r.spend(1); err != nil {
			return false, err
		}
		if equal, err := r.equal(a[i], b[i]); err != nil || !equal {
			return false, err
		}
	}
	return true, nil
}

func (r *run) equalDicts(a, b *dict) (bool, error) {
	for i, key := range a.keys {
		if err := r.spend(1); err != nil {
			return false, err
		}
		other, found, err := b.get(r, key)
		if err != nil || !found {
			return false, err
		}
		if equal, err := r.equal(a.values[i], other); err != nil || !equal {
			return false, err
		}
	}
	return true, nil
}

// within reports whether b has all items of a.
func (r *run) within(a, b *set) (bool, error) {
	for _, item := range a.items.keys {
		if err := r.spend(1); err != nil {
			return false, err
		}
		if _, found, err := b.items.get(r, item); err != nil || !found {
			return false, err
		}
	}
	return true, nil
}

// contains is "item in all".
func (r *run) contains(all, item any) (bool, error) {
	switch all := all.(type) {
	case string:
		part, ok := item.(string)
		if !ok {
			return false, faultf("in a str there can only be a str, not %s", typeName(item))
		}
		return strings.Contains(all, part), r.look(len(all) + len(part))
	case *set:
		_, found, err := all.items.get(r, item)
		return found, err
	case *dict:
		_, found, err := all.get(r, item)
		return found, err
	}
	if _, ok := sequence(all); !ok {
		return false, faultf("nothing can be in %s", typeName(all))
	}
	return r.find(all, func(one any) (bool, error) { return r.equal(one, item) })
}

// identical is "is", which is defined for None, True and False alone: whether two equal numbers
// or texts are the same object differs between versions of Python.
func identical(left, right any) (bool, error) {
	for _, v := range []any{left, right} {
		switch v.(type) {
		case nil, bool:
			return left == right, nil
		}
	}
	return false, faultf("is works with None, True and False; write ==")
}

// ordered is one of < <= > >=.
func (r *run) ordered(operator string, left, right any) (bool, error) {
	order, comparable, err := r.order(operator, left, right)
	if err != nil || !comparable {
		return false, err
	}
	switch operator {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

// order gives -1, 0 or 1; comparable is false for nan, which is neither.
func (r *run) order(operator string, left, right any) (order int, comparable bool, err error) {
	if isNumber(left) && isNumber(right) {
		order, comparable = compareNumbers(left, right)
		return order, comparable, nil
	}
	switch a := left.(type) {
	case string:
		if b, ok := right.(string); ok {
			return strings.Compare(a, b), true, r.look(min(len(a), len(b)))
		}
	case []any:
		if b, ok := right.([]any); ok {
			return r.orderItems(operator, a, b)
		}
	}
	return 0, false, faultf("%s does not work between %s and %s", operator, typeName(left), typeName(right))
}

// orderItems compares the first items that differ, else the lengths.
func (r *run) orderItems(operator string, a, b []any) (order int, comparable bool, err error) {
	for i := range min(len(a), len(b)) {
		if err := r.spend(1); err != nil {
			return 0, false, err
		}
		equal, err := r.equal(a[i], b[i])
		if err != nil {
			return 0, false, err
		}
		if !equal {
			return r.order(operator, a[i], b[i])
		}
	}
	return len(a) - len(b), true, nil
}

package expressions

import (
	"math/big"
	"slices"
)

func callAny(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "iterable")
	if err != nil {
		return nil, err
	}
	return r.find(args[0], func(v any) (bool, error) { return truth(v), nil })
}

func callAll(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "iterable")
	if err != nil {
		return nil, err
	}
	failed, err := r.find(args[0], func(v any) (bool, error) { return !truth(v), nil })
	return !failed, err
}

func callSum(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "iterable", "start")
	if err != nil {
		return nil, err
	}
	total := args[1]
	if total == nil {
		total = new(big.Int)
	}
	if _, isText := total.(string); isText {
		return nil, faultf("sum does not put texts together; use join")
	}
	err = r.each(args[0], func(v any) (err error) {
		total, err = r.operate("+", total, v)
		return err
	})
	return total, err
}

func callList(r *run, a arguments) (any, error) {
	items, err := r.ofItems(a)
	return items, err
}

func callTuple(r *run, a arguments) (any, error) {
	items, err := r.ofItems(a)
	return tuple(items), err
}

func callSet(r *run, a arguments) (any, error) {
	items, err := r.ofItems(a)
	if err != nil {
		return nil, err
	}
	return r.setOf(items)
}

// ofItems gives the items of the one argument; none without one.
func (r *run) ofItems(a arguments) ([]any, error) {
	args, err := a.fit(0, "iterable")
	if err != nil || len(a.list) == 0 {
		return []any{}, err
	}
	return r.items(args[0])
}

func callRange(r *run, a arguments) (any, error) {
	args, err := a.fit(1, "start", "stop", "step")
	if err != nil {
		return nil, err
	}
	bounds := []int64{0, 0, 1}
	for i, arg := range args {
		if arg == nil {
			continue
		}
		n := whole(arg)
		if n == nil || n.BitLen() > 31 {
			return nil, faultf("range takes whole numbers of at most 31 bits, not %s", typeName(arg))
		}
		bounds[i] = n.Int64()
	}
	if len(a.list) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	if bounds[2] == 0 {
		return nil, faultf("the step of range is 0")
	}
	items := []any{}
	for i := bounds[0]; bounds[2] > 0 && i < bounds[1] || bounds[2] < 0 && i > bounds[1]; i += bounds[2] {
		if err := r.takeItems(1); err != nil {
			return nil, err
		}
		items = append(items, big.NewInt(i))
	}
	return items, nil
}

func callMin(r *run, a arguments) (any, error) { return r.extreme(a, "<") }

func callMax(r *run, a arguments) (any, error) { return r.extreme(a, ">") }

// extreme is the first item that stands before all others in the order of the operator.
func (r *run) extreme(a arguments, operator string) (any, error) {
	items := a.list
	if len(items) == 1 {
		var err error
		if items, err = r.items(items[0]); err != nil {
			return nil, err
		}
	}
	named := arguments{function: a.function, named: a.named}
	options, err := named.fit(0, "key", "default")
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		if _, given := a.named["default"]; given && len(a.list) == 1 {
			return options[1], nil
		}
		return nil, faultf("%s needs at least one item", a.function)
	}
	best := 0
	keys, err := r.keys(items, options[0])
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(keys); i++ {
		before, err := r.ordered(operator, keys[i], keys[best])
		if err != nil {
			return nil, err
		}
		if before {
			best = i
		}
	}
	return items[best], nil
}

// keys are what items are ordered by: themselves, or what a function makes of them.
func (r *run) keys(items []any, by any) ([]any, error) {
	if by == nil {
		return items, nil
	}
	f, ok := by.(*function)
	if !ok {
		return nil, faultf("key is a function such as len, not %s", typeName(by))
	}
	keys := make([]any, len(items))
	for i, item := range items {
		v, err := f.call(r, arguments{function: f.name, list: []any{item}})
		if err != nil {
			return nil, err
		}
		keys[i] = v
	}
	return keys, nil
}

func callSorted(r *run, a arguments) (any, error) {
	if len(a.list) > 1 {
		return nil, faultf("sorted takes one list; name key and reverse")
	}
	args, err := a.fit(1, "iterable", "key", "reverse")
	if err != nil {
		return nil, err
	}
	items, err := r.items(args[0])
	if err != nil {
		return nil, err
	}
	keys, err := r.keys(items, args[1])
	if err != nil {
		return nil, err
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	reverse := truth(args[2])
	slices.SortStableFunc(order, func(i, j int) int {
		if err != nil {
			return 0
		}
		if reverse {
			i, j = j, i
		}
		var c int
		c, err = r.sortOrder(keys[i], keys[j])
		return c
	})
	made := make([]any, len(items))
	for n, i := range order {
		made[n] = items[i]
	}
	return made, err
}

func (r *run) sortOrder(a, b any) (int, error) {
	if err := r.spend(1); err != nil {
		return 0, err
	}
	order, _, err := r.order("<", a, b)
	return order, err
}

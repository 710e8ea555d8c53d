package expressions

import (
	"math/big"
	"slices"
	"strings"
)

// operate applies an operator with two operands.
func (r *run) operate(operator string, left, right any) (any, error) {
	if err := r.spend(1); err != nil {
		return nil, err
	}
	if isNumber(left) && isNumber(right) {
		if a, ok := left.(bool); ok && (operator == "&" || operator == "|" || operator == "^") {
			if b, ok := right.(bool); ok {
				return truthBits(operator, a, b), nil
			}
		}
		if err := r.spend((bits(left) + bits(right)) / bytesPerStep); err != nil {
			return nil, err
		}
		return arithmetic(operator, left, right)
	}
	switch operator {
	case "+":
		if made, ok, err := r.joined(left, right); ok || err != nil {
			return made, err
		}
	case "*":
		if n := whole(right); n != nil {
			return r.repeated(left, n)
		}
		if n := whole(left); n != nil {
			return r.repeated(right, n)
		}
	case "%":
		if format, ok := left.(string); ok {
			return r.percent(format, right)
		}
	case "&", "|", "^", "-":
		a, ok := left.(*set)
		b, also := right.(*set)
		if ok && also {
			return r.sets(operator, a, b)
		}
		if made, err := r.overlaid(operator, left, right); made != nil || err != nil {
			return made, err
		}
	}
	return nil, faultf("%s does not work between %s and %s", operator, typeName(left), typeName(right))
}

func truthBits(operator string, a, b bool) bool {
	switch operator {
	case "&":
		return a && b
	case "|":
		return a || b
	}
	return a != b
}

func bits(v any) int {
	if n, ok := v.(*big.Int); ok {
		return n.BitLen()
	}
	return 0
}

// joined puts two texts, lists or tuples together.
func (r *run) joined(left, right any) (made any, ok bool, err error) {
	switch a := left.(type) {
	case string:
		if b, ok := right.(string); ok {
			err := r.take(len(a) + len(b))
			if err != nil {
				return nil, true, err
			}
			return a + b, true, nil
		}
	case []any:
		if b, ok := right.([]any); ok {
			err := r.takeItems(len(a) + len(b))
			return append(slices.Clone(a), b...), true, err
		}
	case tuple:
		if b, ok := right.(tuple); ok {
			err := r.takeItems(len(a) + len(b))
			return append(slices.Clone(a), b...), true, err
		}
	}
	return nil, false, nil
}

// repeated gives a text, list or tuple n times.
func (r *run) repeated(v any, n *big.Int) (any, error) {
	size := 0
	switch v := v.(type) {
	case string:
		size = len(v)
	case []any:
		size = len(v) * bytesPerItem
	case tuple:
		size = len(v) * bytesPerItem
	default:
		return nil, faultf("* does not work between %s and a number", typeName(v))
	}
	times := 0
	switch {
	case n.Sign() <= 0 || size == 0:
	case n.BitLen() > 31:
		return nil, r.take(r.left.Bytes + 1)
	default:
		times = int(n.Int64())
	}
	if times > 0 && size > r.left.Bytes/times {
		return nil, r.take(r.left.Bytes + 1)
	}
	if err := r.take(size * times); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return strings.Repeat(v, times), nil
	case []any:
		return repeatItems(v, times), nil
	}
	return tuple(repeatItems(v.(tuple), times)), nil
}

func repeatItems(items []any, times int) []any {
	made := make([]any, 0, len(items)*times)
	for range times {
		made = append(made, items...)
	}
	return made
}

// sets works on two sets as & | ^ - do.
func (r *run) sets(operator string, a, b *set) (any, error) {
	if err := r.takeItems(len(a.items.keys) + len(b.items.keys)); err != nil {
		return nil, err
	}
	made := &set{items: *newDict()}
	add := func(from, other *set, inOther bool) error {
		for _, item := range from.items.keys {
			_, ok, err := other.items.get(r, item)
			if err == nil && ok == inOther {
				err = made.items.put(r, item, nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	switch operator {
	case "&":
		return made, add(a, b, true)
	case "-":
		return made, add(a, b, false)
	}
	if err := add(a, b, false); err != nil {
		return nil, err
	}
	if operator == "|" {
		if err := add(a, b, true); err != nil {
			return nil, err
		}
	}
	return made, add(b, a, false)
}

// overlaid is a | b for dictionaries: the one with the other laid over it; nil for all else.
func (r *run) overlaid(operator string, left, right any) (any, error) {
	a, ok := left.(*dict)
	b, also := right.(*dict)
	if !ok || !also || operator != "|" {
		return nil, nil
	}
	if err := r.takeItems(2 * (len(a.keys) + len(b.keys))); err != nil {
		return nil, err
	}
	made := newDict()
	for _, from := range []*dict{a, b} {
		for i, key := range from.keys {
			if err := made.put(r, key, from.values[i]); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

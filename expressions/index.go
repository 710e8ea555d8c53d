package expressions

import (
	"unicode/utf8"
)

func (n *index) eval(r *run) (any, error) {
	of, err := n.of.eval(r)
	if err != nil {
		return nil, err
	}
	at, err := n.at.eval(r)
	if err != nil {
		return nil, err
	}
	v, err := r.item(of, at)
	return v, placed(err, n.column)
}

// item is of[at].
func (r *run) item(of, at any) (any, error) {
	if d, ok := of.(*dict); ok {
		v, found, err := d.get(r, at)
		if err == nil && !found {
			shown, _ := r.repr(at)
			err = faultf("there is no key %s", shown)
		}
		return v, err
	}
	size, ok, err := r.length(of)
	if err != nil {
		return nil, err
	}
	if _, isSet := of.(*set); !ok || isSet {
		return nil, faultf("%s has no items by number", typeName(of))
	}
	n := whole(at)
	if n == nil {
		return nil, faultf("the index of %s is a whole number, not %s", typeName(of), typeName(at))
	}
	i := -1
	if n.IsInt64() {
		i = int(n.Int64())
		if i < 0 {
			i += size
		}
	}
	if i < 0 || i >= size {
		return nil, faultf("there is no item %s: the %s has %d", n, typeName(of), size)
	}
	if text, ok := of.(string); ok {
		return string([]rune(text)[i]), r.look(8 * len(text))
	}
	items, _ := sequence(of)
	return items[i], nil
}

// length is len(v), in characters for a text.
func (r *run) length(v any) (n int, ok bool, err error) {
	if text, ok := v.(string); ok {
		return utf8.RuneCountInString(text), true, r.look(len(text))
	}
	items, ok := sequence(v)
	return len(items), ok, nil
}

func (s *slice) eval(r *run) (any, error) {
	of, err := s.of.eval(r)
	if err != nil {
		return nil, err
	}
	var bounds [3]any
	for i, part := range []node{s.from, s.to, s.steps} {
		if part != nil {
			if bounds[i], err = part.eval(r); err != nil {
				return nil, err
			}
		}
	}
	v, err := r.cut(of, bounds)
	return v, placed(err, s.column)
}

// cut is of[from:to:steps].
func (r *run) cut(of any, bounds [3]any) (any, error) {
	size, ok, err := r.length(of)
	if err != nil {
		return nil, err
	}
	switch of.(type) {
	case string, []any, tuple:
	default:
		ok = false
	}
	if !ok {
		return nil, faultf("%s cannot be cut into slices", typeName(of))
	}
	indexes, err := sliceIndexes(bounds, size)
	if err != nil {
		return nil, err
	}
	if text, ok := of.(string); ok {
		if err := r.take(8 * len(text)); err != nil {
			return nil, err
		}
		all := []rune(text)
		made := make([]rune, 0, indexes.count)
		indexes.each(func(i int) { made = append(made, all[i]) })
		return string(made), nil
	}
	if err := r.takeItems(indexes.count); err != nil {
		return nil, err
	}
	all, _ := sequence(of)
	made := make([]any, 0, indexes.count)
	indexes.each(func(i int) { made = append(made, all[i]) })
	if _, ok := of.(tuple); ok {
		return tuple(made), nil
	}
	return made, nil
}

// A progression is count indexes from first on, step apart.
type progression struct{ first, step, count int }

func (p progression) each(visit func(i int)) {
	for n := range p.count {
		visit(p.first + n*p.step)
	}
}

// sliceIndexes reads the bounds of a slice as Python does: they count from the end when
// negative and are moved to the ends when they lie outside.
func sliceIndexes(bounds [3]any, size int) (progression, error) {
	step, err := bound(bounds[2], 1, size)
	if err != nil {
		return progression{}, err
	}
	if step == 0 {
		return progression{}, faultf("the step of a slice is 0")
	}
	low, high := 0, size
	from, to := 0, size
	if step < 0 {
		low, high = -1, size-1
		from, to = size-1, -1
	}
	place := func(v any, otherwise int) (int, error) {
		if v == nil {
			return otherwise, nil
		}
		i, err := bound(v, 0, size)
		if i < 0 {
			i += size
		}
		return max(low, min(i, high)), err
	}
	if from, err = place(bounds[0], from); err != nil {
		return progression{}, err
	}
	if to, err = place(bounds[1], to); err != nil {
		return progression{}, err
	}
	p := progression{first: from, step: step}
	switch {
	case step > 0 && to > from:
		p.count = (to - from + step - 1) / step
	case step < 0 && from > to:
		p.count = (from - to - step - 1) / -step
	}
	return p, nil
}

// bound reads one bound; one that lies far outside is moved to just outside.
func bound(v any, otherwise, size int) (int, error) {
	if v == nil {
		return otherwise, nil
	}
	n := whole(v)
	switch {
	case n == nil:
		return 0, faultf("the bounds of a slice are whole numbers, not %s", typeName(v))
	case n.IsInt64() && n.Int64() >= int64(-2*size-1) && n.Int64() <= int64(2*size+1):
		return int(n.Int64()), nil
	case n.Sign() < 0:
		return -2*size - 1, nil
	}
	return 2*size + 1, nil
}

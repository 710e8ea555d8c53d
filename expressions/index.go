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
			shown, _ := r.shown(at)
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
	n, ok := whole(at)
	if !ok {
		return nil, faultf("the index of %s is a whole number, not %s", typeName(of), typeName(at))
	}
	i := n
	if i < 0 {
		i += int64(size)
	}
	if i < 0 || i >= int64(size) {
		return nil, faultf("there is no item %d: the %s has %d", n, typeName(of), size)
	}
	if text, ok := of.(string); ok {
		return string([]rune(text)[i]), r.look(8 * len(text))
	}
	return of.([]any)[i], nil
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
	text, isText := of.(string)
	items, isList := of.([]any)
	if !isText && !isList {
		return nil, faultf("%s cannot be cut into slices", typeName(of))
	}
	all := []rune(text)
	size := max(len(all), len(items))
	indexes, err := sliceIndexes(bounds, size)
	if err == nil && isText {
		err = r.take(8 * len(text))
	} else if err == nil {
		err = r.takeItems(size)
	}
	if err != nil {
		return nil, err
	}
	if isText {
		made := make([]rune, 0, len(indexes))
		for _, i := range indexes {
			made = append(made, all[i])
		}
		return string(made), nil
	}
	made := make([]any, 0, len(indexes))
	for _, i := range indexes {
		made = append(made, items[i])
	}
	return made, nil
}

// sliceIndexes lists the indexes that a slice of a value of size items covers. Bounds count from
// the end when negative and are moved to the ends when they lie outside.
func sliceIndexes(bounds [3]any, size int) ([]int, error) {
	var n [3]int64
	for i, v := range bounds {
		var ok bool
		if n[i], ok = whole(v); !ok && v != nil {
			return nil, faultf("the bounds of a slice are whole numbers, not %s", typeName(v))
		}
		n[i] = max(-int64(size)-1, min(n[i], int64(size)+1))
	}
	step := n[2]
	if bounds[2] == nil {
		step = 1
	}
	low, high := int64(0), int64(size)
	if step < 0 {
		low, high = -1, int64(size)-1
	}
	from, to := low, high
	if step < 0 {
		from, to = high, low
	}
	for i, end := range []*int64{&from, &to} {
		if bounds[i] == nil {
			continue
		}
		if *end = n[i]; *end < 0 {
			*end += int64(size)
		}
		*end = max(low, min(*end, high))
	}
	if step == 0 {
		return nil, faultf("the step of a slice is 0")
	}
	var indexes []int
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		indexes = append(indexes, int(i))
	}
	return indexes, nil
}

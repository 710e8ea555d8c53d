package expressions

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// textArg is an argument that must be a text.
func textArg(a arguments, name string, v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", faultf("%s takes a str as %s, not %s", a.function, name, typeName(v))
	}
	return s, nil
}

// stripped takes characters off the ends: blanks, or those of a text.
func stripped(left, right bool) method {
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(0, "chars")
		if err != nil {
			return nil, err
		}
		cut := isSpace
		if args[0] != nil {
			chars, err := textArg(a, "chars", args[0])
			if err != nil {
				return nil, err
			}
			cut = func(c rune) bool { return strings.ContainsRune(chars, c) }
			if err := r.look(len(of.(string)) * (1 + len(chars)/8)); err != nil {
				return nil, err
			}
		}
		s := of.(string)
		if left {
			s = strings.TrimLeftFunc(s, cut)
		}
		if right {
			s = strings.TrimRightFunc(s, cut)
		}
		return s, r.look(len(of.(string)))
	}
}

func affix(cut func(s, part string) string) method {
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "affix")
		if err != nil {
			return nil, err
		}
		part, err := textArg(a, "affix", args[0])
		return cut(of.(string), part), err
	}
}

// affixed is startswith or endswith: with one text or a tuple of them, within a range.
func affixed(has func(s, part string) bool) method {
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "affix", "start", "end")
		if err != nil {
			return nil, err
		}
		w, err := r.window(of.(string), args[1], args[2])
		if err != nil {
			return nil, err
		}
		parts, several := args[0].(tuple)
		if !several {
			parts = tuple{args[0]}
		}
		for _, one := range parts {
			part, err := textArg(a, "affix", one)
			if err == nil {
				err = r.look(len(part))
			}
			if err != nil {
				return nil, err
			}
			if !w.outside && has(w.text, part) {
				return true, nil
			}
		}
		return false, nil
	}
}

// A window is the part of a text that a search looks at.
type window struct {
	text    string
	from    int  // characters before it
	outside bool // it begins behind the end: not even the empty text is in it
}

func (r *run) window(s string, start, end any) (window, error) {
	if start == nil && end == nil {
		return window{text: s}, r.look(len(s))
	}
	size := utf8.RuneCountInString(s)
	p, err := sliceIndexes([3]any{start, end, nil}, size)
	if err == nil {
		err = r.look(len(s))
	}
	if err != nil {
		return window{}, err
	}
	from := 0
	if start != nil {
		from, err = bound(start, 0, size)
		if from < 0 {
			from = max(from+size, 0)
		}
	}
	to := size
	if end != nil && err == nil {
		if to, err = bound(end, 0, size); to < 0 {
			to = max(to+size, 0)
		}
	}
	w := window{from: from, outside: from > size || from > to}
	if p.count > 0 {
		w.text = s[byteOffset(s, p.first):byteOffset(s, p.first+p.count)]
	}
	return w, err
}

// byteOffset is where the n-th character begins.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// found is find and its kin: the place of a part, in characters, -1 or an error when it is
// not there.
func found(last, must bool) method {
	search := strings.Index
	if last {
		search = strings.LastIndex
	}
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "sub", "start", "end")
		if err != nil {
			return nil, err
		}
		part, err := textArg(a, "sub", args[0])
		if err != nil {
			return nil, err
		}
		w, err := r.window(of.(string), args[1], args[2])
		if err != nil {
			return nil, err
		}
		i := search(w.text, part)
		switch {
		case (i < 0 || w.outside) && must:
			return nil, faultf("%s is not in the text", quoted(abridged(part)))
		case i < 0 || w.outside:
			return big.NewInt(-1), nil
		}
		return big.NewInt(int64(w.from + utf8.RuneCountInString(w.text[:i]))), nil
	}
}

func callCount(r *run, of any, a arguments) (any, error) {
	args, err := a.fit(1, "sub", "start", "end")
	if err != nil {
		return nil, err
	}
	part, err := textArg(a, "sub", args[0])
	if err != nil {
		return nil, err
	}
	w, err := r.window(of.(string), args[1], args[2])
	if err != nil || w.outside {
		return new(big.Int), err
	}
	return big.NewInt(int64(strings.Count(w.text, part))), nil
}

func callReplace(r *run, of any, a arguments) (any, error) {
	args, err := a.fit(2, "old", "new", "count")
	if err != nil {
		return nil, err
	}
	s := of.(string)
	old, err := textArg(a, "old", args[0])
	if err != nil {
		return nil, err
	}
	with, err := textArg(a, "new", args[1])
	if err != nil {
		return nil, err
	}
	limit, err := countArg(a, "count", args[2])
	if err != nil {
		return nil, err
	}
	if err := r.look(len(s)); err != nil {
		return nil, err
	}
	times := strings.Count(s, old)
	if limit >= 0 {
		times = min(times, limit)
	}
	if grown := len(with) - len(old); grown > 0 && times > 0 && times > r.left.Bytes/grown {
		return nil, r.take(r.left.Bytes + 1)
	}
	if err := r.take(len(s) + times*(len(with)-len(old))); err != nil {
		return nil, err
	}
	return strings.Replace(s, old, with, times), nil
}

// countArg is a whole number that may be left out or negative, which is -1: no limit.
func countArg(a arguments, name string, v any) (int, error) {
	if v == nil {
		return -1, nil
	}
	n := whole(v)
	switch {
	case n == nil:
		return 0, faultf("%s takes a whole number as %s, not %s", a.function, name, typeName(v))
	case n.Sign() < 0:
		return -1, nil
	case n.BitLen() > 31:
		return 1 << 31, nil
	}
	return int(n.Int64()), nil
}

func parted(search func(s, part string) int) method {
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "sep")
		if err != nil {
			return nil, err
		}
		s := of.(string)
		sep, err := textArg(a, "sep", args[0])
		if err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, faultf("the separator is empty")
		}
		if err := r.look(len(s)); err != nil {
			return nil, err
		}
		i := search(s, sep)
		switch {
		case i >= 0:
			return tuple{s[:i], sep, s[i+len(sep):]}, nil
		case a.function == "rpartition":
			return tuple{"", "", s}, nil
		}
		return tuple{s, "", ""}, nil
	}
}

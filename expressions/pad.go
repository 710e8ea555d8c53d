package expressions

import (
	"strings"
	"unicode/utf8"
)

// pad fills a text up to the width.
func pad(s string, l layout) string {
	missing := max(l.width-utf8.RuneCountInString(s), 0)
	fill := string(l.fill)
	if l.fill == 0 {
		fill = " "
	}
	left := 0
	switch l.align {
	case '>':
		left = missing
	case '^':
		left = missing / 2
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, missing-left)
}

// justified is ljust, rjust or center.
func justified(align byte) method {
	return func(r *run, of any, a arguments) (any, error) {
		args, err := a.fit(1, "width", "fillchar")
		if err != nil {
			return nil, err
		}
		width, err := countArg(a, "width", args[0])
		if err != nil {
			return nil, err
		}
		l := layout{align: align, width: max(width, 0), fill: ' '}
		if args[1] != nil {
			fill, err := textArg(a, "fillchar", args[1])
			if err != nil {
				return nil, err
			}
			if utf8.RuneCountInString(fill) != 1 {
				return nil, faultf("fillchar is one character")
			}
			l.fill, _ = utf8.DecodeRuneInString(fill)
		}
		s := of.(string)
		if err := r.take(len(s) + l.width*utf8.RuneLen(l.fill)); err != nil {
			return nil, err
		}
		if odd := l.width - utf8.RuneCountInString(s); align == '^' && odd > 0 {
			// Python gives the odd character to the left where the width is odd.
			left := odd/2 + odd&l.width&1
			return strings.Repeat(string(l.fill), left) + s + strings.Repeat(string(l.fill), odd-left), nil
		}
		return pad(s, l), nil
	}
}

func callZfill(r *run, of any, a arguments) (any, error) {
	args, err := a.fit(1, "width")
	if err != nil {
		return nil, err
	}
	width, err := countArg(a, "width", args[0])
	if err != nil {
		return nil, err
	}
	s := of.(string)
	if err := r.take(len(s) + max(width, 0)); err != nil {
		return nil, err
	}
	missing := max(width-utf8.RuneCountInString(s), 0)
	sign := ""
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		sign, s = s[:1], s[1:]
	}
	return sign + strings.Repeat("0", missing) + s, nil
}

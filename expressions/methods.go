package expressions

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Methods lists the methods, by type.
func Methods() map[string][]string {
	all := map[string][]string{}
	for _, v := range []any{"", []any{}, &dict{}} {
		all[typeName(v)] = slices.Sorted(maps.Keys(methodsOf(v)))
	}
	return all
}

func methodsOf(v any) map[string]function {
	switch v.(type) {
	case string:
		return textMethods
	case []any:
		return listMethods
	case *dict:
		return dictMethods
	}
	return nil
}

// textMethods are the methods of texts that are useful in a condition.
var textMethods = map[string]function{
	"lower":      mapped(func(s string) string { return cases.Lower(language.Und).String(s) }),
	"upper":      mapped(func(s string) string { return cases.Upper(language.Und).String(s) }),
	"casefold":   mapped(func(s string) string { return cases.Fold().String(s) }),
	"title":      mapped(title),
	"capitalize": mapped(capitalize),

	"isalpha":   each(unicode.IsLetter),
	"isdigit":   each(unicode.IsDigit),
	"isdecimal": each(unicode.IsDigit),
	"isnumeric": each(unicode.IsNumber),
	"isalnum":   each(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
	"isspace":   each(unicode.IsSpace),
	"islower":   cased(unicode.IsLower),
	"isupper":   cased(unicode.IsUpper),

	"strip":        stripped(strings.TrimFunc),
	"lstrip":       stripped(strings.TrimLeftFunc),
	"rstrip":       stripped(strings.TrimRightFunc),
	"removeprefix": texts(1, 1, func(s string, part []string) (any, error) { return strings.TrimPrefix(s, part[0]), nil }),
	"removesuffix": texts(1, 1, func(s string, part []string) (any, error) { return strings.TrimSuffix(s, part[0]), nil }),
	"startswith":   affixed(strings.HasPrefix),
	"endswith":     affixed(strings.HasSuffix),

	"find": texts(1, 1, func(s string, part []string) (any, error) { return characterIndex(s, strings.Index(s, part[0])), nil }),
	"rfind": texts(1, 1, func(s string, part []string) (any, error) {
		return characterIndex(s, strings.LastIndex(s, part[0])), nil
	}),
	"index": texts(1, 1, func(s string, part []string) (any, error) {
		i := strings.Index(s, part[0])
		if i < 0 {
			return nil, faultf("%s is not in the text", quoted(abridged(part[0])))
		}
		return characterIndex(s, i), nil
	}),
	"count": texts(1, 1, func(s string, part []string) (any, error) { return int64(strings.Count(s, part[0])), nil }),

	"partition": texts(1, 1, func(s string, part []string) (any, error) {
		before, after, found := strings.Cut(s, part[0])
		sep := part[0]
		if sep == "" {
			return nil, faultf("the separator is empty")
		}
		if !found {
			sep = ""
		}
		return []any{before, sep, after}, nil
	}),
	"replace":    {2, 3, callReplace, nil, false},
	"split":      {0, 2, callSplit, nil, false},
	"splitlines": {0, 0, callSplitLines, nil, false},
	"join":       {1, 1, callJoin, nil, false},
	"format":     {0, anyNumber, callFormat, nil, false},
}

// texts is a method of a text whose arguments are texts. It pays for looking at all of them
// before they are looked at.
func texts(least, most int, call func(s string, args []string) (any, error)) function {
	return function{least: least, most: most, call: func(r *run, a []any) (any, error) {
		args := make([]string, len(a))
		for i, v := range a {
			var err error
			if args[i], err = textArg(v); err != nil {
				return nil, err
			}
			if err := r.look(len(args[i])); err != nil {
				return nil, err
			}
		}
		return call(args[0], args[1:])
	}}
}

func textArg(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", faultf("a str is needed here, not %s", typeName(v))
	}
	return s, nil
}

// characterIndex converts an offset in bytes to one in characters; a negative one becomes -1.
func characterIndex(s string, i int) any {
	if i < 0 {
		return int64(-1)
	}
	return int64(utf8.RuneCountInString(s[:i]))
}

// mapped is a method without arguments that makes a text.
func mapped(change func(string) string) function {
	return function{call: func(r *run, a []any) (any, error) {
		s := a[0].(string)
		if err := r.take(len(s)); err != nil {
			return nil, err
		}
		return change(s), nil
	}}
}

// each reports whether a text has characters, all of one sort.
func each(is func(rune) bool) function {
	return texts(0, 0, func(s string, _ []string) (any, error) {
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0, nil
	})
}

// cased reports whether a text has letters with two forms, all in the one.
func cased(is func(rune) bool) function {
	return texts(0, 0, func(s string, _ []string) (any, error) {
		other := strings.IndexFunc(s, func(c rune) bool { return isCased(c) && !is(c) })
		return other < 0 && strings.IndexFunc(s, is) >= 0, nil
	})
}

func isCased(c rune) bool { return unicode.IsLower(c) || unicode.IsUpper(c) || unicode.IsTitle(c) }

// stripped removes blanks, or the characters of a text, from the ends.
func stripped(trim func(string, func(rune) bool) string) function {
	return function{most: 1, call: func(r *run, a []any) (any, error) {
		s, cut, cost := a[0].(string), unicode.IsSpace, 0
		if len(a) == 2 && a[1] != nil {
			chars, err := textArg(a[1])
			if err != nil {
				return nil, err
			}
			cost = len(s) * len(chars) / 8
			cut = func(c rune) bool { return strings.ContainsRune(chars, c) }
		}
		if err := r.look(len(s) + cost); err != nil {
			return nil, err
		}
		return trim(s, cut), nil
	}}
}

// affixed is startswith or endswith, with one text or a list of them.
func affixed(has func(s, part string) bool) function {
	return function{least: 1, most: 1, call: func(r *run, a []any) (any, error) {
		parts, several := a[1].([]any)
		if !several {
			parts = a[1:]
		}
		for _, one := range parts {
			part, err := textArg(one)
			if err == nil {
				err = r.look(len(part))
			}
			if err != nil {
				return nil, err
			}
			if has(a[0].(string), part) {
				return true, nil
			}
		}
		return false, nil
	}}
}

// title begins each run of letters with a capital.
func title(s string) string {
	within := false
	return strings.Map(func(c rune) rune {
		first := !within
		within = isCased(c)
		if first {
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func capitalize(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToTitle(first)) + cases.Lower(language.Und).String(s[size:])
}

// limit is an optional number of times; without it, or below 0, there is no limit.
func limit(a []any, i int) (int, error) {
	if i >= len(a) {
		return -1, nil
	}
	n, ok := whole(a[i])
	if !ok {
		return 0, faultf("a whole number is needed here, not %s", typeName(a[i]))
	}
	return int(max(-1, min(n, 1<<31))), nil
}

func callReplace(r *run, a []any) (any, error) {
	s := a[0].(string)
	old, err := textArg(a[1])
	if err != nil {
		return nil, err
	}
	with, err := textArg(a[2])
	if err != nil {
		return nil, err
	}
	times, err := limit(a, 3)
	if err == nil {
		err = r.look(len(s))
	}
	if err != nil {
		return nil, err
	}
	if n := strings.Count(s, old); times < 0 || times > n {
		times = n
	}
	grown := len(with) - len(old)
	if grown > 0 && times > r.left.Bytes/grown {
		return nil, r.take(r.left.Bytes + 1)
	}
	if err := r.take(len(s) + times*grown); err != nil {
		return nil, err
	}
	return strings.Replace(s, old, with, times), nil
}

// callSplit cuts a text at a separator, or at blanks.
func callSplit(r *run, a []any) (any, error) {
	s := a[0].(string)
	times, err := limit(a, 2)
	if err == nil {
		err = r.look(len(s))
	}
	if err != nil {
		return nil, err
	}
	if len(a) < 2 || a[1] == nil {
		if times >= 0 {
			return nil, faultf("split takes a number of times only with a separator")
		}
		return r.parts(strings.Fields(s))
	}
	sep, err := textArg(a[1])
	if err != nil {
		return nil, err
	}
	if sep == "" {
		return nil, faultf("the separator is empty")
	}
	if err := r.takeItems(1 + strings.Count(s, sep)); err != nil {
		return nil, err
	}
	if times >= 0 {
		times++
	}
	return r.parts(strings.SplitN(s, sep, times))
}

// parts gives texts as a list.
func (r *run) parts(texts []string) (any, error) {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items, r.takeItems(len(texts))
}

func callSplitLines(r *run, a []any) (any, error) {
	s := strings.Map(func(c rune) rune {
		if strings.ContainsRune("\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", c) {
			return '\n'
		}
		return c
	}, strings.ReplaceAll(a[0].(string), "\r\n", "\n"))
	if err := r.take(2 * len(s)); err != nil || s == "" {
		return []any{}, err
	}
	return r.parts(strings.Split(strings.TrimSuffix(s, "\n"), "\n"))
}

func callJoin(r *run, a []any) (any, error) {
	var all []string
	err := r.each(a[1], func(item any) error {
		text, err := textArg(item)
		if err != nil {
			return err
		}
		all = append(all, text)
		return r.take(len(text) + len(a[0].(string)))
	})
	return strings.Join(all, a[0].(string)), err
}

// callFormat is "…{}…".format(…): fields are {} or {0}.
func callFormat(r *run, a []any) (any, error) {
	parts, err := formatFields(a[0].(string))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, part := range parts {
		text := part.literal
		if part.field >= 0 {
			if part.field >= len(a)-1 {
				return nil, faultf("format has %d arguments, and field %d needs one more", len(a)-1, part.field)
			}
			if text, err = r.text(a[1+part.field]); err != nil {
				return nil, err
			}
		}
		if err := r.take(len(text)); err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// A formatPart is literal text, or the number of an argument.
type formatPart struct {
	literal string
	field   int // -1 for literal text
}

var errField = errors.New("a field of a format is {} or {0} here, without attributes, indexes and formats")

func formatFields(text string) (parts []formatPart, err error) {
	next, numbered := 0, false
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			return append(parts, formatPart{text, -1}), nil
		}
		doubled := strings.HasPrefix(text[i+1:], text[i:i+1])
		if doubled {
			parts = append(parts, formatPart{text[:i+1], -1})
			text = text[i+2:]
			continue
		}
		field, rest, closed := strings.Cut(text[i+1:], "}")
		n, bad := strconv.Atoi(field)
		if field == "" && !numbered {
			n, bad = next, nil
			next++
		} else if numbered = true; next > 0 {
			bad = errField
		}
		if text[i] == '}' || !closed || bad != nil || n < 0 {
			return nil, fault(errField.Error())
		}
		parts = append(parts, formatPart{text[:i], -1}, formatPart{"", n})
		text = rest
	}
	return parts, nil
}

var listMethods = map[string]function{
	"count": {1, 1, func(r *run, a []any) (any, error) {
		n := int64(0)
		err := r.each(a[0], func(item any) error {
			same, err := r.equal(item, a[1])
			if same {
				n++
			}
			return err
		})
		return n, err
	}, nil, false},
	"index": {1, 1, func(r *run, a []any) (any, error) {
		n := int64(-1)
		found, err := r.find(a[0], func(item any) (bool, error) {
			n++
			return r.equal(item, a[1])
		})
		if err == nil && !found {
			err = faultf("the value is not in the list")
		}
		return n, err
	}, nil, false},
}

var dictMethods = map[string]function{
	"get": {1, 2, func(r *run, a []any) (any, error) {
		v, found, err := a[0].(*dict).get(r, a[1])
		if !found && len(a) == 3 {
			v = a[2]
		}
		return v, err
	}, nil, false},
	"keys":   {0, 0, func(r *run, a []any) (any, error) { return r.items(a[0]) }, nil, false},
	"values": {0, 0, func(r *run, a []any) (any, error) { return r.items(a[0].(*dict).values) }, nil, false},
	"items": {0, 0, func(r *run, a []any) (any, error) {
		d := a[0].(*dict)
		pairs := make([]any, len(d.keys))
		for i, key := range d.keys {
			pairs[i] = []any{key, d.values[i]}
		}
		return pairs, r.takeItems(3 * len(pairs))
	}, nil, false},
}

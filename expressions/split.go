package expressions

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// splitArgs are the arguments of split and rsplit: the separator, "" for blanks, and how
// many times at most, -1 for all.
func splitArgs(r *run, of any, a arguments) (s, sep string, times int, err error) {
	args, err := a.fit(0, "sep", "maxsplit")
	if err != nil {
		return "", "", 0, err
	}
	s = of.(string)
	if args[0] != nil {
		if sep, err = textArg(a, "sep", args[0]); err != nil {
			return "", "", 0, err
		}
		if sep == "" {
			return "", "", 0, faultf("the separator is empty")
		}
	}
	if times, err = countArg(a, "maxsplit", args[1]); err != nil {
		return "", "", 0, err
	}
	return s, sep, times, r.look(len(s))
}

// parts gives the texts as a list that has been paid for.
func (r *run) parts(texts []string) (any, error) {
	if err := r.takeItems(len(texts)); err != nil {
		return nil, err
	}
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items, nil
}

func callSplit(r *run, of any, a arguments) (any, error) {
	s, sep, times, err := splitArgs(r, of, a)
	if err != nil {
		return nil, err
	}
	if sep != "" {
		if err := r.takeItems(1 + strings.Count(s, sep)); err != nil {
			return nil, err
		}
		if times < 0 {
			return r.parts(strings.Split(s, sep))
		}
		return r.parts(strings.SplitN(s, sep, times+1))
	}
	var texts []string
	for rest := strings.TrimLeftFunc(s, isSpace); rest != ""; {
		if err := r.takeItems(1); err != nil {
			return nil, err
		}
		end := strings.IndexFunc(rest, isSpace)
		if end < 0 {
			end = len(rest)
		}
		text := rest[:end]
		if times == len(texts) { // the last part keeps its blanks
			text, end = rest, len(rest)
		}
		texts = append(texts, text)
		rest = strings.TrimLeftFunc(rest[end:], isSpace)
	}
	return r.parts(texts)
}

func callRSplit(r *run, of any, a arguments) (any, error) {
	s, sep, times, err := splitArgs(r, of, a)
	if err != nil {
		return nil, err
	}
	if times < 0 {
		return callSplit(r, of, a)
	}
	var texts []string // the last first
	rest := s
	if sep == "" {
		rest = strings.TrimRightFunc(s, isSpace)
	}
	for len(texts) < times {
		if err := r.takeItems(1); err != nil {
			return nil, err
		}
		from, to := lastBreak(rest, sep)
		if from < 0 {
			break
		}
		texts = append(texts, rest[to:])
		rest = rest[:from]
	}
	if sep == "" && len(texts) < times {
		rest = strings.TrimLeftFunc(rest, isSpace)
	}
	if rest != "" || sep != "" {
		texts = append(texts, rest)
	}
	slices.Reverse(texts)
	return r.parts(texts)
}

// lastBreak finds the last separator, or the last run of blanks where sep is empty; from
// is -1 when there is none.
func lastBreak(s, sep string) (from, to int) {
	if sep != "" {
		from = strings.LastIndex(s, sep)
		return from, from + len(sep)
	}
	word := strings.TrimRightFunc(s, func(c rune) bool { return !isSpace(c) })
	if word == "" || strings.TrimFunc(word, isSpace) == "" {
		return -1, -1
	}
	return len(strings.TrimRightFunc(word, isSpace)), len(word)
}

// isLineEnd tells what Python counts as the end of a line.
func isLineEnd(c rune) bool {
	return c >= '\n' && c <= '\r' || c >= 0x1c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}

func callSplitLines(r *run, of any, a arguments) (any, error) {
	args, err := a.fit(0, "keepends")
	if err != nil {
		return nil, err
	}
	s, keep := of.(string), truth(args[0])
	if err := r.look(len(s)); err != nil {
		return nil, err
	}
	var texts []string
	for s != "" {
		if err := r.takeItems(1); err != nil {
			return nil, err
		}
		end := strings.IndexFunc(s, isLineEnd)
		if end < 0 {
			texts = append(texts, s)
			break
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		next := end + size
		if strings.HasPrefix(s[end:], "\r\n") {
			next = end + 2
		}
		if keep {
			texts = append(texts, s[:next])
		} else {
			texts = append(texts, s[:end])
		}
		s = s[next:]
	}
	return r.parts(texts)
}

func callJoin(r *run, of any, a arguments) (any, error) {
	args, err := a.fit(1, "iterable")
	if err != nil {
		return nil, err
	}
	sep := of.(string)
	var b strings.Builder
	n := 0
	err = r.each(args[0], func(item any) error {
		text, err := textArg(a, "item", item)
		if err != nil {
			return err
		}
		if n++; n > 1 {
			text = sep + text
		}
		b.WriteString(text)
		return r.take(len(text))
	})
	return b.String(), err
}

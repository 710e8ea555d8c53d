package expressions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// textMethods are those of str that make sense in a condition. Each pays for looking at
// its text before it does.
var textMethods = map[string]method{
	"lower":      mapped(func(s string) string { return cases.Lower(language.Und).String(s) }),
	"upper":      mapped(func(s string) string { return cases.Upper(language.Und).String(s) }),
	"casefold":   mapped(func(s string) string { return cases.Fold().String(s) }),
	"swapcase":   mapped(swapCase),
	"title":      mapped(title),
	"capitalize": mapped(capitalize),

	"isalpha":      each(unicode.IsLetter),
	"isdigit":      each(isDigitOfAny),
	"isdecimal":    each(unicode.IsDigit),
	"isnumeric":    each(isNumeric),
	"isalnum":      each(func(c rune) bool { return unicode.IsLetter(c) || isNumeric(c) }),
	"isspace":      each(isSpace),
	"islower":      cased(isLower),
	"isupper":      cased(unicode.IsUpper),
	"istitle":      asked(isTitle),
	"isascii":      asked(func(s string) bool { return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) < 0 }),
	"isidentifier": asked(isIdentifier),
	"isprintable":  asked(func(s string) bool { return strings.IndexFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) < 0 }),

	"strip":        stripped(true, true),
	"lstrip":       stripped(true, false),
	"rstrip":       stripped(false, true),
	"removeprefix": affix(strings.TrimPrefix),
	"removesuffix": affix(strings.TrimSuffix),
	"startswith":   affixed(strings.HasPrefix),
	"endswith":     affixed(strings.HasSuffix),

	"find":   found(false, false),
	"rfind":  found(true, false),
	"index":  found(false, true),
	"rindex": found(true, true),
	"count":  callCount,

	"replace":    callReplace,
	"split":      callSplit,
	"rsplit":     callRSplit,
	"splitlines": callSplitLines,
	"partition":  parted(strings.Index),
	"rpartition": parted(strings.LastIndex),
	"join":       callJoin,
	"zfill":      callZfill,
	"ljust":      justified('<'),
	"rjust":      justified('>'),
	"center":     justified('^'),
	"format":     callFormat,
}

// mapped is a method without arguments that makes a text.
func mapped(change func(string) string) method {
	return func(r *run, of any, a arguments) (any, error) {
		if _, err := a.fit(0); err != nil {
			return nil, err
		}
		s := of.(string)
		if err := r.take(len(s)); err != nil {
			return nil, err
		}
		return change(s), nil
	}
}

// asked is a method without arguments that says yes or no.
func asked(is func(string) bool) method {
	return func(r *run, of any, a arguments) (any, error) {
		if _, err := a.fit(0); err != nil {
			return nil, err
		}
		s := of.(string)
		return is(s), r.look(len(s))
	}
}

// each asks whether the text has characters, all of one sort.
func each(is func(rune) bool) method {
	return asked(func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	})
}

// cased asks whether the text has letters with two forms, all in the one.
func cased(is func(rune) bool) method {
	return asked(func(s string) bool {
		some := false
		for _, c := range s {
			if isCased(c) && !is(c) {
				return false
			}
			some = some || is(c)
		}
		return some
	})
}

func isCased(c rune) bool { return isLower(c) || unicode.IsUpper(c) || unicode.IsTitle(c) }

func isLower(c rune) bool { return unicode.IsLower(c) || unicode.Is(unicode.Other_Lowercase, c) }

// isSpace also counts the separators of ASCII, as Python does.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }

// digits are characters that are digits in some place but make no numbers: superscripts,
// those in circles and the like.
var digits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1}, {0x24f5, 0x24fd, 1},
		{0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	R32: []unicode.Range32{
		{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1},
	},
	LatinOffset: 2,
}

func isDigitOfAny(c rune) bool { return unicode.IsDigit(c) || unicode.Is(digits, c) }

// numerals are the common ones among characters that count as letters.
const numerals = "〇一二三四五六七八九十百千万亿億兆零壹贰叁肆伍陆柒捌玖拾佰仟"

func isNumeric(c rune) bool {
	return unicode.IsNumber(c) || c > 0x3000 && strings.ContainsRune(numerals, c)
}

func isIdentifier(s string) bool {
	for i, c := range s {
		if i == 0 && !isNameStart(c) || !isNamePart(c) {
			return false
		}
	}
	return s != ""
}

// titled is the form of a letter that begins a word.
func titled(c rune) string {
	if special := cases.Title(language.Und, cases.NoLower).String(string(c)); len(special) > 0 {
		return special
	}
	return string(unicode.ToTitle(c))
}

// title begins each run of letters with the form for it.
func title(s string) string {
	var b strings.Builder
	within := false
	for i, c := range s {
		switch {
		case within:
			b.WriteString(lowerAt(s, i, c))
		default:
			b.WriteString(titled(c))
		}
		within = isCased(c)
	}
	return b.String()
}

// lowerAt is the small form of the character at s[i]; sigma has one for the end of words.
func lowerAt(s string, i int, c rune) string {
	if c != 'Σ' {
		return cases.Lower(language.Und).String(string(c))
	}
	before := strings.TrimRightFunc(s[:i], func(c rune) bool { return !unicode.IsLetter(c) && unicode.IsMark(c) })
	after := strings.TrimLeftFunc(s[i+len("Σ"):], unicode.IsMark)
	last := []rune(before)
	if len(last) > 0 && isCased(last[len(last)-1]) {
		if next, _ := utf8.DecodeRuneInString(after); isCased(next) {
			return "σ"
		}
		return "ς"
	}
	return "σ"
}

func capitalize(s string) string {
	for i, c := range s {
		if i == 0 {
			return titled(c) + cases.Lower(language.Und).String(s[len(string(c)):])
		}
	}
	return s
}

func swapCase(s string) string {
	var b strings.Builder
	for i, c := range s {
		switch {
		case unicode.IsUpper(c):
			b.WriteString(lowerAt(s, i, c))
		default:
			b.WriteString(cases.Upper(language.Und).String(string(c)))
		}
	}
	return b.String()
}

func isTitle(s string) bool {
	some, within := false, false
	for _, c := range s {
		switch {
		case unicode.IsUpper(c) || unicode.IsTitle(c):
			if within {
				return false
			}
			some, within = true, true
		case isLower(c):
			if !within {
				return false
			}
		default:
			within = false
		}
	}
	return some
}

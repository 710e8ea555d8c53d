package expressions

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxWidth bounds widths and precisions.
const maxWidth = 10_000

// A layout is a parsed format specification, such as ">8.2f".
type layout struct {
	fill      rune // 0 where none is given
	align     byte // '<', '>', '^', '=' or 0
	sign      byte // '+', '-', ' ' or 0
	alternate bool // '#'
	width     int
	group     string // "", "," or "_"
	precision int    // -1 where none is given
	kind      byte   // 0 where none is given
}

var layoutForm = regexp.MustCompile(`(?s)^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$`)

func parseLayout(spec string) (layout, error) {
	m := layoutForm.FindStringSubmatch(spec)
	if m == nil {
		return layout{}, faultf("%q is no format", spec)
	}
	l := layout{alternate: m[4] != "", group: m[7], precision: -1}
	l.fill, _ = utf8.DecodeRuneInString(m[1])
	if m[1] == "" {
		l.fill = 0
	}
	for i, to := range map[int]*byte{2: &l.align, 3: &l.sign, 9: &l.kind} {
		if m[i] != "" {
			*to = m[i][0]
		}
	}
	if m[5] != "" { // a zero before the width: zeros between sign and digits
		if l.fill == 0 {
			l.fill = '0'
		}
		if l.align == 0 {
			l.align = '='
		}
	}
	for i, to := range map[int]*int{6: &l.width, 8: &l.precision} {
		if m[i] == "" {
			continue
		}
		n, err := strconv.Atoi(m[i])
		if err != nil || n > maxWidth {
			return layout{}, faultf("a width in a format is at most %d", maxWidth)
		}
		*to = n
	}
	return l, nil
}

// formatted is format(v, spec) after a conversion as in f"{v!r}".
func (r *run) formatted(v any, conversion byte, spec string) (string, error) {
	var err error
	switch conversion {
	case 's':
		v, err = r.text(v)
	case 'r', 'a':
		v, err = r.repr(v)
	}
	if err != nil {
		return "", err
	}
	if spec == "" {
		return r.text(v)
	}
	l, err := parseLayout(spec)
	if err != nil {
		return "", err
	}
	if err := r.take(l.width + max(l.precision, 0) + 1); err != nil {
		return "", err
	}
	if s, ok := v.(string); ok {
		return r.layText(s, l)
	}
	if !isNumber(v) {
		return "", faultf("%s has no format %q", typeName(v), spec)
	}
	return r.layNumber(v, l)
}

func (r *run) layText(s string, l layout) (string, error) {
	if l.kind != 0 && l.kind != 's' || l.sign != 0 || l.align == '=' && l.fill != '0' || l.group != "" || l.alternate {
		return "", faultf("a text has no such format")
	}
	if err := r.take(len(s)); err != nil {
		return "", err
	}
	if l.precision >= 0 {
		s = s[:byteOffset(s, l.precision)]
	}
	if l.align == 0 || l.align == '=' {
		l.align = '<'
	}
	return pad(s, l), nil
}

func (r *run) layNumber(v any, l layout) (string, error) {
	_, fraction := v.(float64)
	digits, err := "", error(nil)
	switch {
	case l.kind == 0 && !fraction, l.kind == 'n' && !fraction, strings.IndexByte("dbxXoc", l.kind) >= 0 && l.kind != 0:
		if fraction {
			return "", faultf("a number with a fraction has no format %q", string(l.kind))
		}
		digits, err = l.whole(whole(v))
	default:
		f, _, floatErr := float(v)
		if floatErr != nil {
			return "", floatErr
		}
		digits, err = l.float(f)
	}
	if err == nil {
		err = r.take(len(digits) * 2)
	}
	if err != nil {
		return "", err
	}
	if l.kind == 'c' {
		return pad(digits, l.or('<')), nil
	}
	return l.signed(digits), nil
}

func (l layout) or(align byte) layout {
	if l.align == 0 {
		l.align = align
	}
	return l
}

// whole writes a whole number without a fraction, with its minus.
func (l layout) whole(n *big.Int) (string, error) {
	if l.precision >= 0 {
		return "", faultf("a whole number has no precision")
	}
	size := new(big.Int).Abs(n)
	minus := strings.Repeat("-", (1-n.Sign())/2)
	prefix := ""
	base := map[byte]int{'b': 2, 'o': 8, 'x': 16, 'X': 16}[l.kind]
	if l.kind == 'c' {
		if !n.IsInt64() || n.Int64() > utf8.MaxRune || !utf8.ValidRune(rune(n.Int64())) {
			return "", faultf("%s is no character", n)
		}
		return string(rune(n.Int64())), nil
	}
	if base == 0 {
		return minus + l.grouped(size.String(), 3), nil
	}
	if l.alternate {
		prefix = "0" + string(l.kind)
	}
	text := size.Text(base)
	if l.kind == 'X' {
		text = strings.ToUpper(text)
	}
	return minus + prefix + l.grouped(text, 4), nil
}

// grouped puts the separator between groups of digits, counted from the right.
func (l layout) grouped(digits string, size int) string {
	if l.group == "" {
		return digits
	}
	var parts []string
	for len(digits) > size {
		parts = append([]string{digits[len(digits)-size:]}, parts...)
		digits = digits[:len(digits)-size]
	}
	return strings.Join(append([]string{digits}, parts...), l.group)
}

// float writes a number with a fraction, with its minus.
func (l layout) float(f float64) (string, error) {
	precision := l.precision
	if precision < 0 {
		precision = 6
	}
	var text string
	switch l.kind {
	case 'f', 'F':
		text = strconv.FormatFloat(f, 'f', precision, 64)
	case '%':
		text = strconv.FormatFloat(f*100, 'f', precision, 64) + "%"
	case 'e', 'E':
		text = strconv.FormatFloat(f, 'e', precision, 64)
	case 'g', 'G', 'n':
		text = general(f, max(precision, 1), l.alternate)
	case 0:
		text = floatText(f)
		if l.precision >= 0 {
			if text = general(f, max(precision, 1), l.alternate); !strings.ContainsAny(text, ".en") {
				text += ".0"
			}
		}
	default:
		return "", faultf("a number has no format %q", string(l.kind))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		text = floatText(f) + strings.Repeat("%", strings.Count(string(l.kind), "%"))
	}
	if l.kind == 'E' || l.kind == 'G' || l.kind == 'F' {
		text = strings.ToUpper(text)
	}
	unsigned, negative := strings.CutPrefix(text, "-")
	end := strings.IndexFunc(unsigned, func(c rune) bool { return !isDigit(c) })
	if end < 0 {
		end = len(unsigned)
	}
	return strings.Repeat("-", map[bool]int{true: 1}[negative]) + l.grouped(unsigned[:end], 3) + unsigned[end:], nil
}

// general writes so many digits that count, with an exponent where that is shorter.
func general(f float64, precision int, keepZeros bool) string {
	text := strconv.FormatFloat(f, 'e', precision-1, 64)
	at := strings.IndexByte(text, 'e')
	if at < 0 {
		return text
	}
	exponent, _ := strconv.Atoi(text[at+1:])
	tail := text[at:]
	if exponent >= -4 && exponent < precision {
		text, tail = strconv.FormatFloat(f, 'f', precision-1-exponent, 64), ""
	} else {
		text = text[:at]
	}
	if !keepZeros && strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + tail
}

// signed puts the sign before the digits and fills up to the width.
func (l layout) signed(digits string) string {
	unsigned, negative := strings.CutPrefix(digits, "-")
	sign := ""
	switch {
	case negative:
		sign = "-"
	case l.sign == '+' || l.sign == ' ':
		sign = string(l.sign)
	}
	if l.align != '=' {
		return pad(sign+unsigned, l.or('>'))
	}
	missing := l.width - utf8.RuneCountInString(sign+unsigned)
	fill := l.fill
	if fill == 0 {
		fill = ' '
	}
	return sign + strings.Repeat(string(fill), max(missing, 0)) + unsigned
}

package cypherfile

import (
	"errors"
	"strconv"
	"strings"
)

// text reads a string literal. As in Neo4j, a backslash before a character that it does
// not escape stays in the text: '\d' has two characters.
func (l *lexer) text(quote rune) error {
	start := l.at
	var b strings.Builder
	for l.at++; l.at < len(l.src); l.at++ {
		c := l.src[l.at]
		switch {
		case c == quote:
			l.at++
			l.add(text, b.String(), start)
			return nil
		case c == '\\' && l.at+1 < len(l.src):
			if plain, ok := unescaped(l.src[l.at+1]); ok {
				writeRune(&b, plain)
				l.at++
				continue
			}
			b.WriteByte('\\')
		default:
			writeRune(&b, c)
		}
	}
	return faultf(start, `the text that begins here has no closing %c; a quote inside a text is written \%c`, quote, quote)
}

func unescaped(c rune) (rune, bool) {
	switch c {
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 'f':
		return '\f', true
	case '\'', '"', '\\':
		return c, true
	}
	return 0, false
}

// number reads an integer (decimal, 0x1F, 0o17) or a float (1.5, .5, 1e-3), with
// underscores between digits. The sign is the parser's.
func (l *lexer) number() error {
	start := l.at
	kind := integer
	if l.src[l.at] == '0' && (l.peek(1) == 'x' || l.peek(1) == 'o') {
		l.at += 2
		for isHexDigit(l.peek(0)) || l.peek(0) == '_' {
			l.at++
		}
	} else {
		kind = l.decimal()
	}
	if isNamePart(l.peek(0)) {
		return faultf(start, "%q is not a number", string(l.src[start:l.at+1]))
	}
	value := string(l.src[start:l.at])
	if strings.HasSuffix(value, "_") || strings.Contains(value, "__") {
		return faultf(start, "%q is not a number", value)
	}
	digits := strings.ReplaceAll(value, "_", "")
	if kind == integer && len(digits) > 1 && digits[0] == '0' && isDigit(rune(digits[1])) {
		return faultf(start, "%q is not a number: an octal one is written 0o%s, a decimal one without 0 in front", value, digits[1:])
	}
	l.add(kind, digits, start)
	return nil
}

func (l *lexer) decimal() tokenKind {
	kind := integer
	l.digits()
	if l.peek(0) == '.' && isDigit(l.peek(1)) {
		kind = float
		l.at++
		l.digits()
	}
	if c := l.peek(0); c == 'e' || c == 'E' {
		n := 1
		if l.peek(1) == '-' || l.peek(1) == '+' {
			n = 2
		}
		if isDigit(l.peek(n)) {
			kind = float
			l.at += n
			l.digits()
		}
	}
	return kind
}

func (l *lexer) digits() {
	for isDigit(l.peek(0)) || l.peek(0) == '_' {
		l.at++
	}
}

// numberValue is the value of a number token with its sign: int64 or float64.
func numberValue(t token, negative bool) (any, error) {
	digits := t.value
	if negative {
		digits = "-" + digits
	}
	if t.kind == float {
		f, err := strconv.ParseFloat(digits, 64)
		if errors.Is(err, strconv.ErrRange) {
			return nil, faultf(t.at, "the number %s is too large", t.value)
		} else if err != nil {
			return nil, faultf(t.at, "%q is not a number", t.value)
		}
		return f, nil
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return nil, faultf(t.at, "the number %s is too large: integers go up to 9223372036854775807", t.value)
	} else if err != nil {
		return nil, faultf(t.at, "%q is not a number", t.value)
	}
	return n, nil
}

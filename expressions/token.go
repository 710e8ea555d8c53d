package expressions

import (
	"strings"
	"unicode"
)

type kind uint8

const (
	endToken kind = iota
	nameToken
	wordToken // a reserved word
	numberToken
	textToken
	signToken
)

// A token is a piece of the source. Columns count characters from 1.
type token struct {
	kind   kind
	text   string // as written; without quotes and prefix for a text
	prefix string // of a text, in lower case
	column int
}

// reserved words: those with a meaning here, and those Python keeps for statements.
var reserved = wordSet(`and or not in is if else for True False None lambda
	as assert async await break class continue def del elif except finally from global import
	nonlocal pass raise return try while with yield`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// signs, the longer before those they begin with.
var signs = []string{"**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "->", "...",
	"+", "-", "*", "/", "%", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", "&", "|", "^", "~", "=", "@", ";"}

// A lexer cuts source into tokens. Source is runes, so that columns are characters.
type lexer struct {
	source []rune
	at     int
	base   int // column of the first character, less 1; for the parts of f-strings
	open   int // brackets that are open: new lines count for nothing inside
	tokens []token
}

func scan(source []rune, base, open int) ([]token, error) {
	l := lexer{source: source, base: base, open: open}
	for {
		if err := l.skipBlanks(); err != nil {
			return nil, err
		}
		if l.at == len(l.source) {
			return append(l.tokens, token{kind: endToken, column: l.column()}), nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *lexer) column() int { return l.base + l.at + 1 }

func (l *lexer) fail(column int, format string, args ...any) error {
	return placed(faultf(format, args...), column)
}

// peek gives the character n places on, 0 behind the end.
func (l *lexer) peek(n int) rune {
	if l.at+n < len(l.source) {
		return l.source[l.at+n]
	}
	return 0
}

// skipBlanks passes over blanks, comments and, where Python does, line ends. A line end
// elsewhere is only good at the end of the source.
func (l *lexer) skipBlanks() error {
	for l.at < len(l.source) {
		switch c := l.source[l.at]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.at++
		case c == '#':
			for l.at < len(l.source) && l.source[l.at] != '\n' {
				l.at++
			}
		case c == '\n' || c == '\r':
			if l.open == 0 && len(l.tokens) > 0 && strings.TrimSpace(string(l.source[l.at:])) != "" {
				return l.fail(l.column(), "an expression is one line; put it in brackets to write it on several")
			}
			l.at++
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) next() error {
	start, c := l.at, l.source[l.at]
	switch {
	case isNameStart(c):
		for l.at < len(l.source) && isNamePart(l.source[l.at]) {
			l.at++
		}
		word := string(l.source[start:l.at])
		if q := l.peek(0); q == '\'' || q == '"' {
			if prefix, ok := textPrefix(word); ok {
				return l.text(start, prefix)
			}
		}
		l.add(nameToken, word, start)
		if reserved[word] {
			l.tokens[len(l.tokens)-1].kind = wordToken
		}
		return nil
	case c == '\'' || c == '"':
		return l.text(start, "")
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number()
	}
	rest := string(l.source[l.at:min(l.at+3, len(l.source))])
	for _, sign := range signs {
		if strings.HasPrefix(rest, sign) {
			switch sign {
			case "(", "[", "{":
				l.open++
			case ")", "]", "}":
				l.open = max(l.open-1, 0)
			}
			l.at += len(sign)
			l.add(signToken, sign, start)
			return nil
		}
	}
	return l.fail(l.column(), "%q has no meaning here", string(c))
}

func (l *lexer) add(k kind, text string, start int) {
	l.tokens = append(l.tokens, token{kind: k, text: text, column: l.base + start + 1})
}

// text reads a text in quotes, single or triple, without looking into it.
func (l *lexer) text(start int, prefix string) error {
	quote := l.source[l.at]
	size := 1
	if l.peek(1) == quote && l.peek(2) == quote {
		size = 3
	}
	l.at += size
	from := l.at
	for ; l.at < len(l.source); l.at++ {
		switch c := l.source[l.at]; {
		case c == '\\':
			l.at++
		case c == '\n' && size == 1:
			return l.fail(l.base+start+1, "the text is not closed on its line")
		case c == quote && (size == 1 || l.peek(1) == quote && l.peek(2) == quote):
			l.tokens = append(l.tokens, token{kind: textToken, text: string(l.source[from:l.at]), prefix: prefix, column: l.base + start + 1})
			l.at += size
			return nil
		}
	}
	return l.fail(l.base+start+1, "the text is not closed")
}

// textPrefix reports whether a word before a quote is a prefix of a text, such as r or f.
func textPrefix(word string) (prefix string, ok bool) {
	switch prefix = strings.ToLower(word); prefix {
	case "r", "u", "f", "rf", "fr", "b", "br", "rb":
		return prefix, true
	}
	return "", false
}

// number reads the characters of a number. Whether they form one is decided when the token is
// converted.
func (l *lexer) number() error {
	start := l.at
	based := l.source[start] == '0' && strings.ContainsRune("xXoObB", l.peek(1))
	for l.at < len(l.source) {
		c := l.source[l.at]
		signed := !based && (c == '-' || c == '+') && (l.source[l.at-1] == 'e' || l.source[l.at-1] == 'E')
		if c != '.' && !signed && !isNamePart(c) {
			break
		}
		l.at++
	}
	l.add(numberToken, string(l.source[start:l.at]), start)
	return nil
}

func isDigit(c rune) bool     { return c >= '0' && c <= '9' }
func isNameStart(c rune) bool { return c == '_' || unicode.IsLetter(c) }
func isNamePart(c rune) bool  { return isNameStart(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

package cypherfile

import (
	"strings"
	"unicode"
)

type tokenKind int

const (
	endOfFile  tokenKind = iota
	name                 // a keyword, a variable, a label: Cypher tells them apart by place
	quotedName           // `in backticks`
	text                 // a string literal
	integer
	float
	sign   // punctuation and operators
	broken // what is not a token; value says why
)

// A token is one word of the file. For names and texts value is the decoded one.
type token struct {
	kind  tokenKind
	value string
	at    int
	first bool // the first token of its line: a ":" there begins a command of Neo4j Browser
}

// is reports whether the token is that keyword, in any case.
func (t token) is(keyword string) bool {
	return t.kind == name && strings.EqualFold(t.value, keyword)
}

func (t token) isSign(s string) bool { return t.kind == sign && t.value == s }

// String is the token as an error message shows it.
func (t token) String() string {
	switch t.kind {
	case endOfFile:
		return "the end of the file"
	case text:
		return "a text"
	case quotedName:
		return "`" + t.value + "`"
	}
	return `"` + t.value + `"`
}

type lexer struct {
	src    []rune
	at     int
	tokens []token
	first  bool
	depth  int // brackets that are open
}

// maxTokens bounds a file before memory is spent on it: a token takes ten times the text of
// a bracket. A file of 150,000 steps has some 900,000.
const maxTokens = 2_000_000

// lex splits a source into tokens, the last of which is endOfFile, or broken where the
// text cannot be read on. That is not an error yet: after a quote too many the parser
// finds the better place, before the end of the file is taken for a text.
func lex(s *source) []token {
	l := &lexer{src: s.text, first: true}
	if len(l.src) > 0 && l.src[0] == '\uFEFF' {
		l.at = 1
	}
	for {
		err := l.skipBlanks()
		if err == nil && l.at >= len(l.src) {
			l.add(endOfFile, "", l.at)
			return l.tokens
		}
		if err == nil {
			err = l.bound(l.at)
		}
		if err == nil {
			err = l.next()
		}
		if f, ok := err.(*fault); ok {
			l.add(broken, f.text, f.at)
			return l.tokens
		}
	}
}

// bound refuses what no parser need see: brackets in brackets, beyond what a file may have.
func (l *lexer) bound(at int) error {
	if len(l.tokens) == 0 {
		return nil
	}
	switch t := l.tokens[len(l.tokens)-1]; {
	case t.isSign("(") || t.isSign("[") || t.isSign("{"):
		l.depth++
	case t.isSign(")") || t.isSign("]") || t.isSign("}"):
		l.depth--
	}
	if l.depth > maxDepth {
		return faultf(at, "nested more than %d levels deep", maxDepth)
	}
	if len(l.tokens) >= maxTokens {
		return faultf(at, "the file has more than %d words", maxTokens)
	}
	return nil
}

func (l *lexer) add(kind tokenKind, value string, at int) {
	l.tokens = append(l.tokens, token{kind: kind, value: value, at: at, first: l.first})
	l.first = false
}

// peek returns the n-th character from here, or 0.
func (l *lexer) peek(n int) rune {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

func (l *lexer) skipBlanks() error {
	for l.at < len(l.src) {
		c := l.src[l.at]
		switch {
		case c == '\n' || c == '\r':
			l.first = true
			l.at++
		case isBlank(c):
			l.at++
		case c == '/' && l.peek(1) == '/':
			for l.at < len(l.src) && l.src[l.at] != '\n' && l.src[l.at] != '\r' {
				l.at++
			}
		case c == '/' && l.peek(1) == '*':
			if err := l.skipComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) skipComment() error {
	start := l.at
	for l.at += 2; l.at < len(l.src); l.at++ {
		if l.src[l.at] == '*' && l.peek(1) == '/' {
			l.at += 2
			return nil
		}
	}
	return faultf(start, "the comment that begins here has no closing */")
}

func (l *lexer) next() error {
	start, c := l.at, l.src[l.at]
	switch {
	case c == '\'' || c == '"':
		return l.text(c)
	case c == '`':
		return l.quotedName()
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		return l.number()
	case isNameStart(c):
		for l.at < len(l.src) && isNamePart(l.src[l.at]) {
			l.at++
		}
		l.add(name, string(l.src[start:l.at]), start)
		return nil
	}
	for _, two := range [...]string{"+=", "<>", "<=", ">=", "=~", "..", "||"} {
		if c == rune(two[0]) && l.peek(1) == rune(two[1]) {
			l.at += 2
			l.add(sign, two, start)
			return nil
		}
	}
	if plain := plainSign(c); plain != 0 {
		l.at++
		l.add(sign, string(plain), start)
		return nil
	}
	if c < ' ' || !unicode.IsPrint(c) {
		return faultf(start, "the character %U cannot stand here", c)
	}
	if strings.ContainsRune("‘’‚“”„«»", c) {
		return faultf(start, "the quotation mark %c cannot stand here: write ' or \"", c)
	}
	return faultf(start, "the character %q cannot stand here", c)
}

// plainSign gives the ASCII form of a sign, also of the dashes and angle brackets that
// Cypher takes for arrows, or 0.
func plainSign(c rune) rune {
	switch c {
	case '\u00AD', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212', '\uFE58', '\uFE63', '\uFF0D':
		return '-'
	case '\u27E8', '\u3008', '\uFE64', '\uFF1C':
		return '<'
	case '\u27E9', '\u3009', '\uFE65', '\uFF1E':
		return '>'
	}
	if c < 128 && strings.ContainsRune("()[]{},;:.|=+-*/%^<>$&!", c) {
		return c
	}
	return 0
}

func (l *lexer) quotedName() error {
	start := l.at
	var b strings.Builder
	for l.at++; l.at < len(l.src); l.at++ {
		c := l.src[l.at]
		if c != '`' {
			writeRune(&b, c)
			continue
		}
		if l.peek(1) == '`' { // doubled: one backtick of the name
			b.WriteByte('`')
			l.at++
			continue
		}
		l.at++
		if b.Len() == 0 || strings.ContainsRune(b.String(), 0) {
			return faultf(start, "a name in backticks needs characters, and none of them U+0000")
		}
		l.add(quotedName, b.String(), start)
		return nil
	}
	return faultf(start, "the name that begins here has no closing backtick")
}

func isBlank(c rune) bool {
	return unicode.IsSpace(c) || c >= 0x1C && c <= 0x1F || c == '\u180E' || c == '\uFEFF' || c == skipped
}

func isNameStart(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.In(c, unicode.Nl, unicode.Pc)
}

func isNamePart(c rune) bool {
	return isNameStart(c) || unicode.IsDigit(c) || unicode.In(c, unicode.Mn, unicode.Mc, unicode.Sc)
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

func isHexDigit(c rune) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func writeRune(b *strings.Builder, c rune) {
	if c != skipped {
		b.WriteRune(c)
	}
}

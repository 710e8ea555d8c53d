package readonly

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind tells the tokens apart that matter.
type kind int

const (
	word   kind = iota // a name or keyword
	quoted             // a name in backticks
	other              // a number, an operator, one character each
	hidden             // a string or comment
)

// A token is a piece of the text.
type token struct {
	kind kind
	text string // as written
}

// scan cuts a text into tokens, which put together give the text; blanks are hidden ones.
func scan(text string) ([]token, error) {
	var tokens []token
	for at := 0; at < len(text); {
		end, k, err := next(text, at)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token{k, text[at:end]})
		at = end
	}
	return tokens, nil
}

func next(text string, at int) (end int, k kind, err error) {
	rest := text[at:]
	c, size := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, "//"):
		if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
			return at + i, hidden, nil
		}
		return len(text), hidden, nil
	case strings.HasPrefix(rest, "/*"):
		i := strings.Index(rest[2:], "*/")
		if i < 0 {
			return 0, 0, fmt.Errorf("a comment is not closed")
		}
		return at + 2 + i + 2, hidden, nil
	case c == '\'' || c == '"':
		return closing(text, at, c, hidden)
	case c == '`':
		return closing(text, at, c, quoted)
	case strings.ContainsRune(" \t\r\n", c):
		return at + size, hidden, nil
	case unicode.IsControl(c) || unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) || c == '\u180e':
		return 0, 0, fmt.Errorf("the character %U is not possible here: Neo4j reads some of its like as blanks and others not; write an ordinary blank", c)
	case unicode.IsLetter(c) || c == '_':
		i := strings.IndexFunc(rest, func(c rune) bool {
			return !(unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.M, c) || c == '_')
		})
		if i < 0 {
			i = len(rest)
		}
		return at + i, word, nil
	}
	return at + size, other, nil
}

// closing finds the end of what a quote opens. In backticks two stand for one; elsewhere a
// backslash hides the next character.
func closing(text string, at int, quote rune, k kind) (int, kind, error) {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote != '`':
			i++
		case rune(text[i]) != quote:
		case quote == '`' && strings.HasPrefix(text[i+1:], "`"):
			i++
		default:
			return i + 1, k, nil
		}
	}
	return 0, 0, fmt.Errorf("a %c is not closed", quote)
}

// visible drops blanks, strings and comments.
func visible(tokens []token) []token {
	var out []token
	for _, t := range tokens {
		if t.kind != hidden {
			out = append(out, t)
		}
	}
	return out
}

package agentzero

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/stepgraph/stepgraph/expressions"
)

// expressions checks the expressions of all conditions: that they parse, and that they use
// nothing but the names and methods they may.
func (c *checker) expressions() {
	for _, n := range c.flow.ofKind(kindCondition) {
		text := strings.TrimSpace(n.Data.Expression)
		if text == "" {
			c.atNode(n, "data/expression", codeEmpty, "the expression is empty")
			continue
		}
		if _, err := expressions.Parse(text); err != nil {
			c.atNode(n, "data/expression", codeExpression, "the expression %s: %v", text, err)
			continue
		}
		names, _ := c.flow.named(n)
		if err := allowed(text, append(names, inputName)); err != nil {
			c.atNode(n, "data/expression", codeForbidden, "the expression %s: %v", text, err)
		}
	}
}

// words are what an expression may say besides names.
var words = []string{"and", "or", "not", "in", "is", "if", "else", "for", "True", "False", "None"}

// allowed tells what an expression that parses uses and may not: names nobody gives it, and
// attributes that are no methods. What stands inside an f-string is looked at when it runs; it
// fails there, and so does the condition.
func allowed(text string, names []string) error {
	tokens := wordsOf(text)
	known := append(append(expressions.Functions(), words...), names...)
	for i, t := range tokens { // the variables of comprehensions
		for k := i + 1; t.text == "for" && k < len(tokens) && tokens[k].text != "in"; k++ {
			known = append(known, tokens[k].text)
		}
	}
	for _, t := range tokens {
		switch {
		case t.attribute && !isMethod(t.text):
			return errors.New(t.text + " is no method that an expression may call")
		case !t.attribute && !t.argument && !slices.Contains(known, t.text):
			return errors.New(t.text + " is not known here; there are " + strings.Join(names, ", ") + " and the functions " + strings.Join(expressions.Functions(), ", "))
		}
	}
	return nil
}

func isMethod(name string) bool {
	for _, methods := range expressions.Methods() {
		if slices.Contains(methods, name) {
			return true
		}
	}
	return false
}

// A word is a name in an expression: an attribute where a dot stands before it, the name of an
// argument where a single = follows it.
type word struct {
	text                string
	attribute, argument bool
}

// wordsOf lists the words of an expression outside its literals.
func wordsOf(text string) []word {
	var out []word
	runes := []rune(text)
	for at := 0; at < len(runes); {
		switch c := runes[at]; {
		case c == '\'' || c == '"':
			at = literalEnd(runes, at)
		case unicode.IsDigit(c): // a number, its exponent and its base included
			for at < len(runes) && inWord(runes[at]) {
				at++
			}
		case c == '_' || unicode.IsLetter(c):
			end := at
			for end < len(runes) && inWord(runes[end]) {
				end++
			}
			if end < len(runes) && (runes[end] == '\'' || runes[end] == '"') { // the prefix of a literal
				at = end
				continue
			}
			w := word{text: string(runes[at:end]), attribute: before(runes, at) == '.'}
			next := strings.TrimLeft(string(runes[end:]), " \t\n")
			w.argument = strings.HasPrefix(next, "=") && !strings.HasPrefix(next, "==")
			out, at = append(out, w), end
		default:
			at++
		}
	}
	return out
}

func inWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }

// before is the character before a place, blanks aside.
func before(runes []rune, at int) rune {
	for at--; at >= 0; at-- {
		if !unicode.IsSpace(runes[at]) {
			return runes[at]
		}
	}
	return 0
}

// literalEnd is the place behind a text literal, which the parser has found to end.
func literalEnd(runes []rune, at int) int {
	quote := string(runes[at])
	if rest := string(runes[at:min(at+3, len(runes))]); rest == strings.Repeat(quote, 3) {
		quote = rest
	}
	for at += len([]rune(quote)); at < len(runes); at++ {
		if runes[at] == '\\' {
			at++
			continue
		}
		if strings.HasPrefix(string(runes[at:min(at+3, len(runes))]), quote) {
			return at + len([]rune(quote))
		}
	}
	return at
}

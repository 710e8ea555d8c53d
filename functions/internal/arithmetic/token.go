package arithmetic

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	end kind = iota
	number
	name
	operator
)

type token struct {
	kind  kind
	text  string
	value float64 // of a number
	at    int
}

var (
	numberForm = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
	nameForm   = regexp.MustCompile(`^[\p{L}_][\p{L}\p{Nd}_]*`)
)

// spellings maps alternative signs to operators.
var spellings = map[string]string{"×": "*", "·": "*", "÷": "/", "−": "-", "**": "^"}

// next reads the next token. An unknown character becomes an operator that the parser rejects.
func (p *parser) next() {
	rest := strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace)
	p.at = len(p.text) - len(rest)
	t := token{at: p.at}
	if found := numberForm.FindString(rest); found != "" {
		t.kind, t.text = number, found
		t.value, _ = strconv.ParseFloat(found, 64) // out of range becomes infinity, which the check of the result reports
	} else if found := nameForm.FindString(rest); found != "" {
		t.kind, t.text = name, found
	} else if rest != "" {
		_, size := utf8.DecodeRuneInString(rest)
		if strings.HasPrefix(rest, "**") {
			size = 2
		}
		t.kind, t.text = operator, rest[:size]
	}
	p.at += len(t.text)
	if usual, ok := spellings[t.text]; ok {
		t.text = usual
	}
	p.token = t
}

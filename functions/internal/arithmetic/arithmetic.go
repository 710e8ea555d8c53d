// Package arithmetic evaluates arithmetic expressions as people and models write them: "2 * (3
// + 4)^2", "sqrt(2) / pi". Expressions contain only numbers, functions and constants and have
// no access to anything else, so a text from any source is safe.
package arithmetic

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	maxLength = 10_000 // bytes of a text
	maxDepth  = 200    // levels of nested parentheses and powers
)

// An Error is a syntax or domain error and its position.
type Error struct {
	Column  int // from 1, in characters
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }

// Evaluate computes an expression. Operators are + - * / % and ^ (or **) with the usual
// precedence; ^ binds tighter than a sign and is right-associative. There are n! and
// parentheses; numbers such as 12, .5 and 1e-3; pi, tau, e and phi; and the usual functions,
// with angles in radians: sqrt, round, ln, log10, sin, atan2, min, max and so on. The result
// is finite; the error is an *Error.
func Evaluate(text string) (float64, error) {
	if len(text) > maxLength {
		return 0, &Error{1, fmt.Sprintf("longer than %d bytes", maxLength)}
	}
	p := &parser{text: text}
	p.next()
	n, err := p.sum(0)
	if err != nil {
		return 0, err
	}
	if p.token.kind != end {
		return 0, p.unexpected("an operator")
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, &Error{1, "the result is not a finite number"}
	}
	return n + 0, nil // turns -0 into 0
}

// A parser evaluates while it parses, with one token of lookahead.
type parser struct {
	text  string
	at    int // where the next token begins
	token token
}

func (p *parser) sum(depth int) (float64, error) {
	n, err := p.product(depth)
	for err == nil && (p.is("+") || p.is("-")) {
		sign := p.token.text
		p.next()
		var m float64
		if m, err = p.product(depth); sign == "-" {
			m = -m
		}
		n += m
	}
	return n, err
}

func (p *parser) product(depth int) (float64, error) {
	n, err := p.signed(depth)
	for err == nil && (p.is("*") || p.is("/") || p.is("%")) {
		operator := p.token
		p.next()
		var m float64
		if m, err = p.signed(depth); err != nil {
			return 0, err
		}
		switch {
		case operator.text == "*":
			n *= m
		case m == 0:
			return 0, p.fault(operator.at, "division by zero")
		case operator.text == "/":
			n /= m
		default:
			n = math.Mod(n, m)
		}
	}
	return n, err
}

// signed parses a power with any number of signs before it.
func (p *parser) signed(depth int) (float64, error) {
	negative := false
	for p.is("+") || p.is("-") {
		negative = negative != p.is("-")
		p.next()
	}
	n, err := p.power(depth)
	if negative {
		n = -n
	}
	return n, err
}

func (p *parser) power(depth int) (float64, error) {
	if depth > maxDepth {
		return 0, p.fault(p.token.at, fmt.Sprintf("nested more than %d deep", maxDepth))
	}
	n, err := p.operand(depth)
	for err == nil && p.is("!") {
		n = factorial(n)
		p.next()
	}
	if err != nil || !p.is("^") {
		return n, err
	}
	p.next()
	m, err := p.signed(depth + 1)
	return math.Pow(n, m), err
}

func (p *parser) operand(depth int) (float64, error) {
	t := p.token
	switch {
	case t.kind == number:
		p.next()
		return t.value, nil
	case t.kind == name:
		p.next()
		return p.named(t, depth)
	case p.is("("):
		p.next()
		n, err := p.sum(depth + 1)
		if err == nil {
			err = p.expect(")")
		}
		return n, err
	}
	return 0, p.unexpected("a number")
}

// named parses a constant or a function call.
func (p *parser) named(t token, depth int) (float64, error) {
	word := strings.ToLower(t.text)
	if value, ok := constants[word]; ok {
		return value, nil
	}
	f, ok := functions[word]
	if !ok {
		return 0, p.fault(t.at, fmt.Sprintf("there is no %q here", t.text))
	}
	if err := p.expect("("); err != nil {
		return 0, err
	}
	args, err := p.arguments(depth + 1)
	if err != nil {
		return 0, err
	}
	if len(args) < f.least || f.most > 0 && len(args) > f.most {
		return 0, p.fault(t.at, fmt.Sprintf("%s does not take %d numbers", word, len(args)))
	}
	return f.of(args), nil
}

// arguments parses the arguments of a call, up to and including the closing parenthesis.
func (p *parser) arguments(depth int) (args []float64, err error) {
	if p.is(")") {
		p.next()
		return nil, nil
	}
	for {
		n, err := p.sum(depth)
		if err != nil {
			return nil, err
		}
		args = append(args, n)
		if !p.is(",") {
			return args, p.expect(")")
		}
		p.next()
	}
}

func (p *parser) is(symbol string) bool { return p.token.kind == operator && p.token.text == symbol }

func (p *parser) expect(symbol string) error {
	if !p.is(symbol) {
		return p.unexpected(fmt.Sprintf("%q", symbol))
	}
	p.next()
	return nil
}

func (p *parser) unexpected(wanted string) error {
	if p.token.kind == end {
		return p.fault(p.token.at, "want "+wanted+", not the end")
	}
	return p.fault(p.token.at, fmt.Sprintf("want %s, not %q", wanted, p.token.text))
}

func (p *parser) fault(at int, message string) error {
	return &Error{utf8.RuneCountInString(p.text[:at]) + 1, message}
}

package expressions

import (
	"slices"
	"unicode/utf8"
)

// An Expression is a compiled expression. It is never changed.
type Expression struct {
	source string
	root   node
}

// Parse compiles an expression. The error is an [*Error].
func Parse(source string) (*Expression, error) {
	switch {
	case !utf8.ValidString(source):
		return nil, &Error{Column: 1, Reason: "the expression is not UTF-8"}
	case utf8.RuneCountInString(source) > MaxSource:
		return nil, placed(faultf("the expression has more than %d characters", MaxSource), 1)
	}
	tokens, err := scan([]rune(source), 0, 0)
	if err != nil {
		return nil, err
	}
	p := parser{tokens: tokens}
	root, err := p.whole()
	if err != nil {
		return nil, err
	}
	return &Expression{source: source, root: root}, nil
}

// String is the source.
func (e *Expression) String() string { return e.source }

// A parser reads tokens by precedence climbing.
type parser struct {
	tokens []token
	at     int
	depth  int
}

// whole reads all tokens as one expression, which may be a list without brackets.
func (p *parser) whole() (node, error) {
	if p.peek().kind == endToken {
		return nil, p.fail("there is no expression")
	}
	root, err := p.oneOrList("")
	if err != nil {
		return nil, err
	}
	if p.peek().kind != endToken {
		return nil, p.unexpected()
	}
	return root, nil
}

// column is where the next token begins, in characters from 0.
func (p *parser) column() int { return p.peek().column - 1 }

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// is reports whether the next token is one of these signs or reserved words.
func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.kind == signToken || t.kind == wordToken) && slices.Contains(texts, t.text)
}

// accept takes the next token if it is one of these.
func (p *parser) accept(texts ...string) (token, bool) {
	if p.is(texts...) {
		return p.take(), true
	}
	return token{}, false
}

func (p *parser) expect(text string) error {
	if _, ok := p.accept(text); !ok {
		if p.peek().kind == endToken {
			return p.fail("%q is missing at the end", text)
		}
		if slices.Contains(forbidden, p.peek().text) {
			return p.unexpected()
		}
		return p.fail("want %q here, not %q", text, p.peek().text)
	}
	return nil
}

func (p *parser) fail(format string, args ...any) error {
	return placed(faultf(format, args...), p.peek().column)
}

// forbidden are words and signs of Python's expressions that this package leaves out.
var forbidden = []string{"lambda", "await", "yield", ":=", "&", "|", "^", "~", "<<", ">>"}

func (p *parser) unexpected() error {
	switch t := p.peek(); {
	case t.kind == endToken:
		return p.fail("the expression ends too early")
	case t.text == "=":
		return p.fail("a value cannot be set here; to compare write ==")
	case slices.Contains(forbidden, t.text) && t.kind != textToken:
		return unsupported(t.column, t.text+" is not supported here")
	case t.kind == signToken:
		return p.fail("%q cannot stand here", t.text)
	case t.kind == textToken:
		return p.fail("a text cannot stand here")
	default:
		return p.fail("%q cannot stand here", t.text)
	}
}

// deeper bounds recursion; each call is undone by the function it gives.
func (p *parser) deeper() (func(), error) {
	if p.depth++; p.depth > MaxDepth {
		return nil, p.fail("nested deeper than %d levels", MaxDepth)
	}
	return func() { p.depth-- }, nil
}

// expression reads a conditional expression, which is what stands wherever Python takes
// any expression.
func (p *parser) expression() (node, error) {
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	then, err := p.or()
	if err != nil {
		return nil, err
	}
	if _, ok := p.accept("if"); !ok {
		return then, nil
	}
	test, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := p.expect("else"); err != nil {
		return nil, err
	}
	otherwise, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &choice{test: test, then: then, otherwise: otherwise}, nil
}

func (p *parser) or() (node, error) { return p.logical("or", p.and) }

func (p *parser) and() (node, error) { return p.logical("and", p.not) }

func (p *parser) logical(word string, operand func() (node, error)) (node, error) {
	from := p.column()
	left, err := operand()
	if err != nil {
		return nil, err
	}
	for {
		to := p.column()
		if _, ok := p.accept(word); !ok {
			return left, nil
		}
		begin := p.column()
		right, err := operand()
		if err != nil {
			return nil, err
		}
		left = &logical{and: word == "and", left: spanned{left, from, to}, right: spanned{right, begin, p.column()}}
	}
}

func (p *parser) not() (node, error) {
	if _, ok := p.accept("not"); !ok {
		return p.comparison()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	operand, err := p.not()
	if err != nil {
		return nil, err
	}
	return &not{operand}, nil
}

func (p *parser) comparison() (node, error) {
	first, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	c := &comparison{operands: []node{first}, column: p.peek().column}
	for {
		operator, ok := p.comparator()
		if !ok {
			break
		}
		next, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		c.operators, c.operands = append(c.operators, operator), append(c.operands, next)
	}
	if len(c.operators) == 0 {
		return first, nil
	}
	return c, nil
}

// comparator takes an operator that compares, which may be two words.
func (p *parser) comparator() (operator string, ok bool) {
	t, ok := p.accept("<", ">", "<=", ">=", "==", "!=", "in", "is")
	if ok {
		if _, negated := p.accept("not"); negated && t.text == "is" {
			return "is not", true
		} else if negated {
			p.at-- // as in "x < not y", which is not an operator
		}
		return t.text, true
	}
	if p.is("not") && p.tokens[p.at+1].text == "in" {
		p.at += 2
		return "not in", true
	}
	return "", false
}

// levels are the operators with two operands, those that bind least first.
var levels = [][]string{{"+", "-"}, {"*", "/", "//", "%"}}

func (p *parser) binary(level int) (node, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	for {
		t, ok := p.accept(levels[level]...)
		if !ok {
			return left, nil
		}
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		left = &binary{operator: t.text, left: left, right: right, column: t.column}
	}
}

func (p *parser) unary() (node, error) {
	t, ok := p.accept("-", "+")
	if !ok {
		return p.power()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	operand, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &unary{operator: t.text, operand: operand, column: t.column}, nil
}

// power reads **, which binds more than a sign on its left and less than one on its right.
func (p *parser) power() (node, error) {
	base, err := p.primary()
	if err != nil {
		return nil, err
	}
	t, ok := p.accept("**")
	if !ok {
		return base, nil
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	exponent, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &binary{operator: "**", left: base, right: exponent, column: t.column}, nil
}

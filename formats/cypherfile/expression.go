package cypherfile

import "strings"

// An expression is one of the types below. Those marked "not evaluated" may stand in a
// RETURN only, which says nothing to a workflow.
type expression interface{ place() int }

type literal struct {
	at    int
	value any // nil, bool, int64, float64 or string
}

type variable struct {
	at   int
	name string
	slot int
}

type listExpression struct {
	at    int
	items []expression
}

type mapExpression struct {
	at     int
	keys   []string
	values []expression
}

type propertyExpression struct {
	at  int
	of  expression
	key string
}

type labelExpression struct {
	at     int
	of     expression
	labels []string
}

// unary is NOT, "-", "+", IS NULL or IS NOT NULL.
type unary struct {
	at       int
	operator string
	of       expression
}

type binary struct {
	at          int
	operator    string
	left, right expression
}

// call is a function call; not evaluated.
type call struct {
	at        int
	arguments []expression
}

func (e *literal) place() int            { return e.at }
func (e *variable) place() int           { return e.at }
func (e *listExpression) place() int     { return e.at }
func (e *mapExpression) place() int      { return e.at }
func (e *propertyExpression) place() int { return e.at }
func (e *labelExpression) place() int    { return e.at }
func (e *unary) place() int              { return e.at }
func (e *binary) place() int             { return e.at }
func (e *call) place() int               { return e.at }

// levels are the binary operators, weakest first. The value reports whether a workflow
// file may use it.
var levels = []map[string]bool{
	{"OR": true}, {"XOR": true}, {"AND": true},
	{"=": true, "<>": true, "<": false, ">": false, "<=": false, ">=": false},
	{"IN": true, "STARTS WITH": true, "ENDS WITH": true, "CONTAINS": true, "=~": false},
	{"+": true, "-": false, "||": true}, {"*": false, "/": false, "%": false}, {"^": false},
}

// NOT binds weaker than a comparison, IS NULL as strong as the other tests.
const notLevel, compareLevel, testLevel = 3, 3, 4

// maxChain bounds a + b + c …, which nests to the left without brackets.
const maxChain = 1000

func (p *parser) expression() (expression, error) { return p.level(0) }

func (p *parser) level(n int) (expression, error) {
	if n == len(levels) {
		return p.signed()
	}
	if n == notLevel && p.peek().is("NOT") {
		return p.not()
	}
	left, err := p.level(n + 1)
	if err != nil {
		return nil, err
	}
	for count := 0; ; count++ {
		if count == maxChain {
			return nil, faultf(p.peek().at, "more than %d operators in a row", maxChain)
		}
		if n == testLevel && p.peek().is("IS") {
			if left, err = p.isNull(left); err != nil {
				return nil, err
			}
			continue
		}
		t := p.peek()
		operator := p.operator(levels[n])
		if operator == "" {
			return left, nil
		}
		if !levels[n][operator] && !p.lenient {
			return nil, refused(t.at, "the operator "+operator)
		}
		if n == compareLevel && count > 0 && !p.lenient {
			return nil, refused(t.at, "a chain of comparisons")
		}
		right, err := p.level(n + 1)
		if err != nil {
			return nil, err
		}
		left = &binary{at: t.at, operator: operator, left: left, right: right}
	}
}

// operator takes one of the given operators if it comes next.
func (p *parser) operator(of map[string]bool) string {
	t := p.peek()
	if t.kind != sign && t.kind != name {
		return ""
	}
	operator := t.value
	if t.kind == name {
		operator = strings.ToUpper(operator)
	}
	if (operator == "STARTS" || operator == "ENDS") && p.ahead(1).is("WITH") {
		operator += " WITH"
	}
	if _, ok := of[operator]; !ok {
		return ""
	}
	p.next += 1 + strings.Count(operator, " ")
	return operator
}

func (p *parser) not() (expression, error) {
	t := p.take()
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	of, err := p.level(notLevel)
	return &unary{at: t.at, operator: "NOT", of: of}, err
}

func (p *parser) isNull(of expression) (expression, error) {
	t := p.take()
	operator := "IS NULL"
	if p.word("NOT") {
		operator = "IS NOT NULL"
	}
	if !p.word("NULL") {
		if p.lenient {
			return nil, p.unexpected("NULL")
		}
		return nil, refused(t.at, "IS "+p.peek().value)
	}
	return &unary{at: t.at, operator: operator, of: of}, nil
}

// signed reads signs before a value. Those of a number belong to it, so that the
// smallest integer can be written.
func (p *parser) signed() (expression, error) {
	t := p.peek()
	if !t.isSign("-") && !t.isSign("+") {
		return p.postfix()
	}
	p.next++
	if n := p.peek(); n.kind == integer || n.kind == float {
		p.next++
		value, err := numberValue(n, t.value == "-")
		return &literal{at: t.at, value: value}, err
	}
	of, err := p.afterSign()
	return &unary{at: t.at, operator: t.value, of: of}, err
}

// afterSign reads what a sign stands before: a value, or a number with a minus of its own.
func (p *parser) afterSign() (expression, error) {
	t := p.peek()
	if n := p.ahead(1); t.isSign("-") && (n.kind == integer || n.kind == float) {
		p.next += 2
		value, err := numberValue(n, true)
		return &literal{at: t.at, value: value}, err
	}
	return p.postfix()
}

// postfix reads a value and what hangs on it: properties, labels.
func (p *parser) postfix() (expression, error) {
	value, err := p.atom()
	if err != nil {
		return nil, err
	}
	for count := 0; ; count++ {
		t := p.peek()
		if count == maxChain {
			return nil, faultf(t.at, "more than %d properties in a row", maxChain)
		}
		switch {
		case p.accept("."):
			key, err := p.identifier("a property")
			if err != nil {
				return nil, err
			}
			value = &propertyExpression{at: t.at, of: value, key: key}
		case t.isSign(":"):
			labels, err := p.labels()
			if err != nil {
				return nil, err
			}
			value = &labelExpression{at: t.at, of: value, labels: labels}
		case t.isSign("["):
			return nil, refused(t.at, "an index ([…])")
		default:
			return value, nil
		}
	}
}

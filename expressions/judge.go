package expressions

import (
	"errors"
	"strings"
)

// Missing, as the value of a name, says that the name has no value. What depends on such a
// name is unknown, as NULL is in SQL: a comparison with it holds as little as its opposite,
// "and" and "or" go by their other side where that decides, and the name is None only to a
// test for None itself (x is None, x == None and their opposites).
var Missing any = missing{}

type missing struct{}

// errUnknown ends the evaluation of what depends on a missing name. It is an error so that
// every operator, function and display between the name and what decides passes it on.
var errUnknown = errors.New("a name has no value")

// A Judgement is how [Expression.Judge] decided.
type Judgement struct {
	// Holds reports whether the expression holds. What is unknown does not.
	Holds bool
	// Unknown reports that a missing name kept the expression from being decided.
	Unknown bool
	// Parts are the operands of the outermost "and" and "or", in order; none where the
	// expression has no such operator.
	Parts []Part
}

// A Part is one operand of the outermost "and" and "or".
type Part struct {
	// Text is the operand as written.
	Text string
	// Reached is false where the operands before it had decided.
	Reached bool
	// Holds and Unknown are as in a [Judgement].
	Holds, Unknown bool
	// Err is why the part has no value. It is an *Error.
	Err error
}

// Judge decides as [Expression.True] does, takes [Missing] names, and reports what became
// of each operand of the outermost "and" and "or". The error is an [*Error].
func (e *Expression) Judge(names map[string]any, limits Limits) (Judgement, error) {
	r, err := newRun(names, limits)
	if err != nil {
		return Judgement{}, err
	}
	operands := operandsOf(e.root, nil)
	r.outcomes = make(map[node]outcome, len(operands))
	v, err := e.root.eval(r)
	j := Judgement{Parts: make([]Part, 0, len(operands))}
	source := []rune(e.source)
	for _, o := range operands {
		got, reached := r.outcomes[o.node]
		part := Part{Text: strings.TrimSpace(string(source[o.from:o.to])), Reached: reached}
		part.Unknown = errors.Is(got.err, errUnknown)
		part.Holds = reached && got.err == nil && truth(got.value)
		if !part.Unknown {
			part.Err = got.err
		}
		j.Parts = append(j.Parts, part)
	}
	if errors.Is(err, errUnknown) {
		j.Unknown = true
		return j, nil
	}
	j.Holds = err == nil && truth(v)
	return j, err
}

// An outcome is what an operand of "and" or "or" came to.
type outcome struct {
	value any
	err   error
}

// A spanned node is an operand and its position in the source, in characters.
type spanned struct {
	node     node
	from, to int
}

// operandsOf lists the operands of the outermost "and" and "or" of a part, in order.
func operandsOf(n node, to []spanned) []spanned {
	l, ok := n.(*logical)
	if !ok {
		return to
	}
	for _, side := range []spanned{l.left, l.right} {
		if _, inner := side.node.(*logical); inner {
			to = operandsOf(side.node, to)
			continue
		}
		to = append(to, side)
	}
	return to
}

// eval decides by the left side where it can. A left side that is unknown leaves the
// decision to the right one.
func (l *logical) eval(r *run) (any, error) {
	left, unknown := r.operand(l.left.node)
	switch {
	case errors.Is(unknown, errUnknown):
	case unknown != nil || truth(left) != l.and:
		return left, unknown
	}
	right, err := r.operand(l.right.node)
	if err == nil && unknown != nil && truth(right) == l.and {
		return nil, unknown
	}
	return right, err
}

// operand evaluates one side of "and" or "or" and notes what it came to, where that is
// asked for.
func (r *run) operand(n node) (any, error) {
	v, err := n.eval(r)
	if r.outcomes != nil {
		r.outcomes[n] = outcome{v, err}
	}
	return v, err
}

// noneTest reports whether a comparison asks whether an operand is None.
func (c *comparison) noneTest() bool {
	if len(c.operators) != 1 {
		return false
	}
	switch c.operators[0] {
	case "is", "is not", "==", "!=":
	default:
		return false
	}
	return isNone(c.operands[0]) || isNone(c.operands[1])
}

// isNone also knows null, the name of None that callers who speak JSON may give.
func isNone(n node) bool {
	if n, ok := n.(*name); ok {
		return n.name == "null"
	}
	c, ok := n.(*constant)
	return ok && c.value == nil
}

// evalOperand evaluates an operand of a comparison. A missing name is None to a test for None.
func (c *comparison) evalOperand(r *run, i int) (any, error) {
	v, err := c.operands[i].eval(r)
	if errors.Is(err, errUnknown) && c.noneTest() {
		if _, named := c.operands[i].(*name); named {
			return nil, nil
		}
	}
	return v, err
}

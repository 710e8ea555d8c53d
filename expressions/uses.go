package expressions

import (
	"regexp"
	"slices"
	"strings"
)

// Uses lists what an expression needs from outside, each once, in the order in which it comes
// up: the names it reads, variables of its comprehensions aside, and the attributes it asks
// of values, methods included. Functions are names like any other.
func (e *Expression) Uses() (names, attributes []string) {
	u := &uses{}
	u.visit(e.root, nil)
	return u.names, u.attributes
}

type uses struct{ names, attributes []string }

func (u *uses) visitAll(nodes []node, bound []string) {
	for _, n := range nodes {
		u.visit(n, bound)
	}
}

// visit looks at a part and all within it; bound are the variables of the comprehensions
// around it.
func (u *uses) visit(n node, bound []string) {
	switch n := n.(type) {
	case nil, *constant:
	case *name:
		if !slices.Contains(bound, n.name) {
			u.names = once(u.names, n.name)
		}
	case *logical:
		u.visitAll([]node{n.left.node, n.right.node}, bound)
	case *not:
		u.visit(n.operand, bound)
	case *comparison:
		u.visitAll(n.operands, bound)
	case *binary:
		u.visitAll([]node{n.left, n.right}, bound)
	case *unary:
		u.visit(n.operand, bound)
	case *choice:
		u.visitAll([]node{n.then, n.test, n.otherwise}, bound)
	case *display:
		u.visitAll(n.items, bound)
	case *dictDisplay:
		u.visitAll(n.keys, bound)
		u.visitAll(n.values, bound)
	case *comprehension:
		u.comprehension(n, bound)
	case *attribute:
		u.visit(n.of, bound)
		u.attributes = once(u.attributes, n.name)
	case *index:
		u.visitAll([]node{n.of, n.at}, bound)
	case *slice:
		u.visitAll([]node{n.of, n.from, n.to, n.steps}, bound)
	case *call:
		u.visit(n.of, bound)
		u.format(n.of)
		u.visitAll(n.args, bound)
		u.visitAll(n.named, bound)
	case *template:
		for _, part := range n.parts {
			u.visitAll([]node{part.value, part.format}, bound)
		}
	default:
		panic("expressions: a part that Uses does not know")
	}
}

// comprehension visits the clauses first: what each goes over knows the variables of those
// before it.
func (u *uses) comprehension(c *comprehension, bound []string) {
	bound = slices.Clone(bound)
	for _, clause := range c.clauses {
		u.visit(clause.over, bound)
		bound = append(bound, clause.targets...)
		u.visitAll(clause.tests, bound)
	}
	u.visitAll([]node{c.item, c.value}, bound)
}

var fieldAttribute = regexp.MustCompile(`\{[^{}:!]*?\.([\p{L}_][\p{L}\p{N}_]*)`)

// format finds the attributes that the fields of a literal's format method ask for.
func (u *uses) format(of node) {
	method, ok := of.(*attribute)
	if !ok || method.name != "format" {
		return
	}
	literal, ok := method.of.(*constant)
	if !ok {
		return
	}
	text, _ := literal.value.(string) // format of anything else has no fields
	for _, found := range fieldAttribute.FindAllStringSubmatch(strings.ReplaceAll(text, "{{", ""), -1) {
		u.attributes = once(u.attributes, found[1])
	}
}

func once(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

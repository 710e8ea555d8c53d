package expressions

import "slices"

// Uses lists what an expression needs from outside, each once, in the order in which it comes
// up: the names it reads and the functions it calls, without variables of its comprehensions,
// and the methods it calls.
func (e *Expression) Uses() (names, methods []string) {
	u := &uses{}
	u.visit(e.root, nil)
	return u.names, u.methods
}

type uses struct{ names, methods []string }

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
	case *index:
		u.visitAll([]node{n.of, n.at}, bound)
	case *slice:
		u.visitAll([]node{n.of, n.from, n.to, n.steps}, bound)
	case *call:
		if n.of == nil {
			u.names = once(u.names, n.name)
		} else {
			u.visit(n.of, bound)
			u.methods = once(u.methods, n.name)
		}
		u.visitAll(n.args, bound)
	case *template:
		for _, part := range n.parts {
			u.visit(part.value, bound)
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
	u.visit(c.item, bound)
}

func once(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

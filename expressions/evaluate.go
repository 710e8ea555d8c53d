package expressions

import (
	"maps"
	"slices"
	"strings"
)

// A run is one evaluation.
type run struct {
	limits, left Limits
	names        map[string]any
	local        []binding        // variables of comprehensions, the innermost last
	outcomes     map[node]outcome // of the operands of "and" and "or"; nil if they are not recorded
}

type binding struct {
	name  string
	value any
}

// True reports whether the expression holds: whether its value counts as true. Names holds
// JSON values as encoding/json decodes them, numbers also as json.Number or int. The error is
// an [*Error].
func (e *Expression) True(names map[string]any, limits Limits) (bool, error) {
	r, err := newRun(names, limits)
	if err != nil {
		return false, err
	}
	v, err := e.root.eval(r)
	return err == nil && truth(v), err
}

func newRun(names map[string]any, limits Limits) (*run, error) {
	limits = limits.withDefaults()
	r := &run{limits: limits, left: limits, names: make(map[string]any, len(names))}
	for name, value := range names {
		if value == Missing {
			r.names[name] = Missing
			continue
		}
		v, err := r.imported(value)
		if err != nil {
			return nil, placed(faultf("%s: %v", name, err), 1)
		}
		r.names[name] = v
	}
	r.left = limits // what the names hold is not counted
	return r, nil
}

func (c *constant) eval(r *run) (any, error) { return c.value, placed(r.spend(1), 1) }

func (n *name) eval(r *run) (any, error) {
	if err := r.spend(1); err != nil {
		return nil, placed(err, n.column)
	}
	for i := len(r.local) - 1; i >= 0; i-- {
		if r.local[i].name == n.name {
			return r.local[i].value, nil
		}
	}
	if v, ok := r.names[n.name]; ok {
		if v == Missing {
			return nil, errUnknown
		}
		return v, nil
	}
	if _, ok := functions[n.name]; ok {
		return nil, placed(faultf("%s is a function: call it, as in %s(input)", n.name, n.name), n.column)
	}
	return nil, r.unknown(n.name, n.column)
}

// unknown is the error for a name without meaning. It lists what a name can be, the values
// first.
func (r *run) unknown(name string, column int) error {
	known := append(slices.Sorted(maps.Keys(r.names)), Functions()...)
	return placed(faultf("%q is not known here; there are %s", name, strings.Join(known, ", ")), column)
}

func (n *not) eval(r *run) (any, error) {
	v, err := n.operand.eval(r)
	if err != nil {
		return nil, err
	}
	return !truth(v), nil
}

func (c *choice) eval(r *run) (any, error) {
	test, err := c.test.eval(r)
	if err != nil {
		return nil, err
	}
	if truth(test) {
		return c.then.eval(r)
	}
	return c.otherwise.eval(r)
}

func (c *comparison) eval(r *run) (any, error) {
	left, err := c.evalOperand(r, 0)
	if err != nil {
		return nil, err
	}
	for i, operator := range c.operators {
		right, err := c.evalOperand(r, i+1)
		if err != nil {
			return nil, err
		}
		holds, err := r.compare(operator, left, right)
		if err != nil {
			return nil, placed(err, c.column)
		}
		if !holds {
			return false, nil
		}
		left = right
	}
	return true, nil
}

func (b *binary) eval(r *run) (any, error) {
	left, err := b.left.eval(r)
	if err != nil {
		return nil, err
	}
	right, err := b.right.eval(r)
	if err != nil {
		return nil, err
	}
	v, err := r.operate(b.operator, left, right)
	return v, placed(err, b.column)
}

func (u *unary) eval(r *run) (any, error) {
	v, err := u.operand.eval(r)
	if err != nil {
		return nil, err
	}
	v, err = r.sign(u.operator, v)
	return v, placed(err, u.column)
}

func (d *display) eval(r *run) (any, error) {
	if err := r.takeItems(len(d.items)); err != nil {
		return nil, placed(err, d.column)
	}
	items, err := evalAll(r, d.items)
	if err != nil || !d.set {
		return items, err
	}
	made, err := r.setOf(items)
	return made, placed(err, d.column)
}

func (d *dictDisplay) eval(r *run) (any, error) {
	if err := r.takeItems(2 * len(d.keys)); err != nil {
		return nil, placed(err, d.column)
	}
	made := newDict()
	for i := range d.keys {
		pair, err := evalAll(r, []node{d.keys[i], d.values[i]})
		if err != nil {
			return nil, err
		}
		if err := made.put(r, pair[0], pair[1]); err != nil {
			return nil, placed(err, d.column)
		}
	}
	return made, nil
}

func evalAll(r *run, nodes []node) ([]any, error) {
	items := make([]any, len(nodes))
	for i, n := range nodes {
		v, err := n.eval(r)
		if err != nil {
			return nil, err
		}
		items[i] = v
	}
	return items, nil
}

func (c *call) eval(r *run) (any, error) {
	f, args, err := c.callee(r)
	if err != nil {
		return nil, err
	}
	if over, ok := c.generator(); ok && f.decide != nil {
		found, err := over.find(r, f.decide)
		return found == f.decides, err
	}
	for _, arg := range c.args {
		v, err := arg.eval(r)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	if err := r.spend(1); err != nil {
		return nil, placed(err, c.open)
	}
	v, err := f.apply(r, c.name, args, c.of != nil)
	return v, placed(err, c.open)
}

// callee gives the function, and for a method the value before the dot as its first argument.
func (c *call) callee(r *run) (function, []any, error) {
	if c.of == nil {
		f, ok := functions[c.name]
		if !ok {
			return f, nil, r.unknown(c.name, c.column)
		}
		return f, nil, nil
	}
	of, err := c.of.eval(r)
	if err != nil {
		return function{}, nil, err
	}
	f, ok := methodsOf(of)[c.name]
	if !ok {
		return f, nil, placed(faultf("%s has no method %q here", typeName(of), c.name), c.column)
	}
	return f, []any{of}, nil
}

// generator gives the comprehension that is the only argument.
func (c *call) generator() (*comprehension, bool) {
	if len(c.args) != 1 {
		return nil, false
	}
	over, ok := c.args[0].(*comprehension)
	return over, ok
}

func (t *template) eval(r *run) (any, error) {
	var b strings.Builder
	for _, part := range t.parts {
		text := part.literal
		if part.value != nil {
			var err error
			if text, err = part.text(r); err != nil {
				return nil, placed(err, part.column)
			}
		}
		if err := r.take(len(text)); err != nil {
			return nil, placed(err, part.column)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (p *templatePart) text(r *run) (string, error) {
	v, err := p.value.eval(r)
	if err != nil {
		return "", err
	}
	return r.text(v)
}

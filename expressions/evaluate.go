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
	local        []binding        // of comprehensions, the innermost last
	outcomes     map[node]outcome // of the operands of "and" and "or"; nil where nobody asks
}

type binding struct {
	name  string
	value any
}

// True tells whether the expression holds: whether its value counts as true. Names holds
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
	if f, ok := functions[n.name]; ok {
		return f, nil
	}
	return nil, placed(faultf("%q is not known here; there are %s", n.name, strings.Join(r.known(), ", ")), n.column)
}

// known lists what a name can be, the values first.
func (r *run) known() []string {
	return append(slices.Sorted(maps.Keys(r.names)), Functions()...)
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
	switch {
	case err != nil:
		return nil, err
	case d.kind == '(':
		return tuple(items), nil
	case d.kind == '[':
		return items, nil
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

func (a *attribute) eval(r *run) (any, error) {
	of, err := a.of.eval(r)
	if err != nil {
		return nil, err
	}
	method, ok := methodsOf(of)[a.name]
	if !ok {
		return nil, placed(faultf("%s has no method %q here", typeName(of), a.name), a.column)
	}
	return &function{name: a.name, call: func(r *run, args arguments) (any, error) { return method(r, of, args) }}, nil
}

func (c *call) eval(r *run) (any, error) {
	of, err := c.of.eval(r)
	if err != nil {
		return nil, err
	}
	f, ok := of.(*function)
	if !ok {
		return nil, placed(faultf("%s cannot be called", typeName(of)), c.column)
	}
	args := arguments{function: f.name}
	if args.list, err = evalAll(r, c.args); err != nil {
		return nil, err
	}
	for i, value := range c.named {
		v, err := value.eval(r)
		if err != nil {
			return nil, err
		}
		if args.named[c.names[i]] != nil {
			return nil, placed(faultf("%s is given twice", c.names[i]), c.column)
		}
		if args.named == nil {
			args.named = map[string]any{}
		}
		args.named[c.names[i]] = v
	}
	if err := r.spend(1); err != nil {
		return nil, placed(err, c.column)
	}
	v, err := f.call(r, args)
	return v, placed(err, c.column)
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
	spec := ""
	if p.format != nil {
		format, err := p.format.eval(r)
		if err != nil {
			return "", err
		}
		spec = format.(string)
	}
	return r.formatted(v, p.conversion, spec)
}

package code

import (
	"errors"
	"fmt"
	stdmath "math"

	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// weightless lists the builtins whose cost does not depend on the contents of their arguments.
var weightless = map[string]bool{"bool": true, "dir": true, "hasattr": true, "len": true, "range": true, "type": true}

// environment returns all predeclared names of a script, guarded for one run.
func (g *guard) environment() starlark.StringDict {
	all := starlark.StringDict{"json": g.module(json.Module), "math": math.Module}
	for name, value := range starlark.Universe {
		if f, ok := value.(*starlark.Builtin); ok && !weightless[name] {
			all[name] = g.function(f)
		}
	}
	all["getattr"] = starlark.NewBuiltin("getattr", g.getattr)
	all["sum"] = g.function(starlark.NewBuiltin("sum", g.sum))
	all["round"] = g.function(starlark.NewBuiltin("round", round))
	for _, op := range operators {
		all[operator(op)] = binaryCall(op.String(), func(_ *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
			return g.binary(op, x, y)
		})
		all[inPlace(op)] = binaryCall(op.String()+"=", func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
			return g.update(thread, op, x, y)
		})
	}
	all[attrCall] = binaryCall(".", func(_ *starlark.Thread, x, name starlark.Value) (starlark.Value, error) {
		return g.attr(x, string(name.(starlark.String)))
	})
	all[sliceCall] = unaryCall("slice", func(x starlark.Value) (starlark.Value, error) { return g.made(x, nil) })
	all[spreadCall] = unaryCall("*", weighed)
	all[keyCall] = unaryCall("key", hashable)
	all[storeCall] = unaryCall("key", func(x starlark.Value) (starlark.Value, error) {
		if err := g.charge(entrySize); err != nil {
			return nil, err
		}
		return hashable(x)
	})
	return all
}

// hashable checks the cost of hashing and comparing a key and returns the key.
func hashable(x starlark.Value) (starlark.Value, error) {
	if plain(x) {
		return x, nil
	}
	return weighed(x)
}

func weighed(x starlark.Value) (starlark.Value, error) {
	_, err := measure(x)
	return x, err
}

func binaryCall(name string, f func(*starlark.Thread, starlark.Value, starlark.Value) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return f(thread, args[0], args[1])
	})
}

func unaryCall(name string, f func(starlark.Value) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return f(args[0])
	})
}

// module guards the functions of a module. For json it also limits the nesting of the text,
// because its decoder recurses.
func (g *guard) module(m *starlarkstruct.Module) *starlarkstruct.Module {
	members := starlark.StringDict{}
	for name, value := range m.Members {
		f, ok := value.(*starlark.Builtin)
		if !ok {
			members[name] = value
			continue
		}
		guarded := g.function(f)
		members[name] = starlark.NewBuiltin(f.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			for _, arg := range args {
				if text, ok := arg.(starlark.String); ok && name != "encode" && bracketDepth(string(text)) > maxNested {
					return nil, errNested
				}
			}
			return guarded.CallInternal(thread, args, kwargs)
		})
	}
	return &starlarkstruct.Module{Name: m.Name, Members: members}
}

// bracketDepth returns an upper bound of the nesting of a JSON text; brackets inside strings
// are counted too.
func bracketDepth(text string) int {
	depth, deepest, quoted, escaped := 0, 0, false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '[' || c == '{'):
			depth++
			deepest = max(deepest, depth)
		case !quoted && (c == ']' || c == '}'):
			depth--
		}
	}
	return deepest
}

func (g *guard) getattr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var object, other starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &object, &name, &other); err != nil {
		return nil, err
	}
	value, err := g.attr(object, name)
	if err != nil && other != nil {
		return other, nil
	}
	return value, err
}

// sum is Python's builtin: sum(numbers, start=0).
func (g *guard) sum(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list starlark.Iterable
	var total starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iterable", &list, "start?", &total); err != nil {
		return nil, err
	}
	if _, text := total.(starlark.String); text {
		return nil, errors.New("sum: cannot add texts, use \"\".join")
	}
	for e := range starlark.Elements(list) {
		var err error
		if total, err = g.binary(syntax.PLUS, total, e); err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
	}
	return total, nil
}

// round is Python's builtin: round(x) returns the nearest whole number, the even one of two
// equally near; round(x, n) keeps n digits after the point.
func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, digits starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x, &digits); err != nil {
		return nil, err
	}
	if n, ok := x.(starlark.Int); ok {
		return n, nil
	}
	f, ok := x.(starlark.Float)
	if !ok {
		return nil, fmt.Errorf("round: want a number, not %s", x.Type())
	}
	if digits == nil || digits == starlark.None {
		return starlark.NumberToInt(starlark.Float(stdmath.RoundToEven(float64(f))))
	}
	n, err := starlark.AsInt32(digits)
	if err != nil || n < -300 || n > 300 {
		return nil, errors.New("round: digits are out of range")
	}
	return rounded(float64(f), n), nil
}

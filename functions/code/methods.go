package code

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// attr returns x.name. If it is a function, it is guarded like every function.
func (g *guard) attr(x starlark.Value, name string) (starlark.Value, error) {
	owner, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, noAttr(x, name)
	}
	value, err := owner.Attr(name)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, noAttr(x, name)
	}
	if _, module := x.(*starlarkstruct.Module); module {
		return value, nil // guarded already
	}
	if method, ok := value.(*starlark.Builtin); ok {
		return g.method(x, method), nil
	}
	return value, nil
}

func noAttr(x starlark.Value, name string) error {
	return fmt.Errorf("%s has no .%s field or method", x.Type(), name)
}

// storing lists the methods that store their arguments without comparing them.
var storing = map[string]bool{"append": true, "insert": true, "clear": true, "keys": true, "values": true, "items": true}

// searching lists the methods of lists that compare with every element.
var searching = map[string]bool{"index": true, "remove": true}

func (g *guard) method(receiver starlark.Value, method *starlark.Builtin) starlark.Value {
	name := method.Name()
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if !storing[name] {
			looked := args
			if _, list := receiver.(*starlark.List); list && searching[name] {
				looked = append(starlark.Tuple{receiver}, args...)
			}
			w, err := weighCall(looked, kwargs)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if text, ok := receiver.(starlark.String); ok {
				if err := g.text(string(text), name, args, w); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		return g.made(method.CallInternal(thread, args, kwargs))
	})
}

// text charges the result of a string method before it is made.
func (g *guard) text(text, name string, args starlark.Tuple, w weight) error {
	switch name {
	case "join":
		return g.charge(w.bytes + len(text)*w.items)
	case "format":
		need, err := formatted(text, "{", w)
		if err != nil {
			return err
		}
		return g.charge(need)
	case "replace":
		if len(args) < 2 {
			return nil
		}
		old, _ := starlark.AsString(args[0])
		with, _ := starlark.AsString(args[1])
		times := strings.Count(text, old)
		if len(with) > 0 && times > maxBytes*8/len(with) {
			return fmt.Errorf("the script needs too much memory: %d times %d bytes", times, len(with))
		}
		return g.charge(len(text) + times*len(with))
	case "split", "rsplit", "splitlines":
		return g.charge(16 * len(text))
	}
	return nil
}

// function guards a function: the cost of its arguments is checked, its result is charged.
func (g *guard) function(f *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		w, err := weighCall(args, kwargs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := g.charge(16 * w.items); err != nil {
			return nil, err
		}
		return g.made(f.CallInternal(thread, args, kwargs))
	})
}

func weighCall(args starlark.Tuple, kwargs []starlark.Tuple) (weight, error) {
	w, err := measure(args...)
	for _, pair := range kwargs {
		if err == nil {
			err = w.of(pair)
		}
	}
	return w, err
}

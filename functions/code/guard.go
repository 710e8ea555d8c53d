package code

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Names of the guard functions. None is an identifier, so no script can use or replace one.
const (
	attrCall   = "$attr"
	sliceCall  = "$slice"
	keyCall    = "$key"   // guards the lookup of a key
	storeCall  = "$store" // guards the storing of a key
	spreadCall = "$spread"
)

func operator(op syntax.Token) string { return "$" + op.String() }
func inPlace(op syntax.Token) string  { return "$" + op.String() + "=" }

var operators = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE,
	syntax.CIRCUMFLEX, syntax.LTLT, syntax.GTGT, syntax.IN, syntax.NOT_IN,
	syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE,
}

// guard counts the bytes that one run allocates; left is the remaining allowance.
type guard struct{ left int }

// charge subtracts n bytes from the allowance and fails when it is used up.
func (g *guard) charge(n int) error {
	if n < 0 || n > g.left {
		return fmt.Errorf("the script needs too much memory")
	}
	g.left -= n
	return nil
}

// made charges a new value.
func (g *guard) made(v starlark.Value, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return v, g.charge(size(v))
}

// binary computes x op y.
func (g *guard) binary(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if x.Type() == y.Type() && !plain(x) {
			if _, err := measure(x, y); err != nil {
				return nil, err
			}
		}
		same, err := starlark.Compare(op, x, y)
		return starlark.Bool(same), err
	case syntax.IN, syntax.NOT_IN:
		if err := g.weighIn(x, y); err != nil {
			return nil, err
		}
		return starlark.Binary(op, x, y)
	}
	need, err := g.need(op, x, y)
	if err != nil {
		return nil, err
	}
	if err := g.charge(need); err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

// need returns an upper bound of the memory for the result of x op y, in bytes.
func (g *guard) need(op syntax.Token, x, y starlark.Value) (int, error) {
	if n, sequence := repetition(op, x, y); sequence != nil {
		if each := size(sequence); n > maxBytes*16/each {
			return 0, fmt.Errorf("the script needs too much memory: %d times %d bytes", n, each)
		}
		return n * size(sequence), nil
	}
	if text, ok := x.(starlark.String); ok && op == syntax.PERCENT {
		w, err := measure(y)
		if err != nil {
			return 0, err
		}
		return formatted(string(text), "%", w)
	}
	if _, err := weighInts(x, y); err != nil {
		return 0, err
	}
	return size(x) + size(y), nil
}

// repetition returns the count and the text or list of a product n * x.
func repetition(op syntax.Token, x, y starlark.Value) (int, starlark.Value) {
	if op != syntax.STAR {
		return 0, nil
	}
	n, ok := x.(starlark.Int)
	sequence := y
	if !ok {
		if n, ok = y.(starlark.Int); !ok {
			return 0, nil
		}
		sequence = x
	}
	switch sequence.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
	default:
		return 0, nil
	}
	times, ok := n.Int64()
	switch {
	case !ok && n.Sign() > 0, times > maxBytes*16:
		times = maxBytes * 16
	case !ok, times < 0:
		times = 0
	}
	return int(times), sequence
}

// weighInts refuses integers so long that a single operation with them could take long.
func weighInts(values ...starlark.Value) (int, error) {
	for _, v := range values {
		if n, ok := v.(starlark.Int); ok && intSize(n) > maxIntBits/8 {
			return 0, fmt.Errorf("number is longer than %d bits", maxIntBits)
		}
	}
	return 0, nil
}

// formatted returns the maximal length of text after every mark was replaced by a value of
// weight w.
func formatted(text, mark string, w weight) (int, error) {
	marks := strings.Count(text, mark)
	each := w.bytes + 32*w.items
	if marks > 0 && each > maxBytes*8/marks {
		return 0, fmt.Errorf("the script needs too much memory: %d times %d bytes", marks, each)
	}
	return len(text) + marks*each, nil
}

// weighIn charges what x in y compares: all elements of a list, only the key of a dict.
func (g *guard) weighIn(x, y starlark.Value) error {
	values := []starlark.Value{x}
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
		if !plain(x) {
			values = append(values, y)
		}
	}
	_, err := measure(values...)
	return err
}

// plain reports whether v is a single value without elements, which need not be weighed before
// it is compared.
func plain(v starlark.Value) bool {
	switch v.(type) {
	case starlark.String, starlark.Bytes, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return true
	}
	return false
}

// update computes x op= y. Lists and dicts change in place, everything else is computed anew.
func (g *guard) update(thread *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	method := ""
	switch x.(type) {
	case *starlark.List:
		if _, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			method = "extend"
		}
	case *starlark.Dict:
		if _, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			method = "update"
		}
	}
	if method == "" {
		return g.binary(op, x, y)
	}
	f, err := g.attr(x, method)
	if err != nil {
		return nil, err
	}
	_, err = starlark.Call(thread, f, starlark.Tuple{y}, nil)
	return x, err
}

package expressions

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Values are nil (None), bool, *big.Int, float64, string, []any (a list), tuple, *set,
// *dict, *function and *generator.
type (
	tuple []any

	// A set keeps its items in the order in which they came.
	set struct{ items dict }

	// A dict keeps its keys in the order in which they came. Keys are found by what
	// keyOf makes of them.
	dict struct {
		keys   []any
		values []any
		at     map[string]int
	}

	// A function is a function or a method with the value before its dot.
	function struct {
		name string
		call func(r *run, a arguments) (any, error)
	}

	// A generator gives its items when they are asked for, once.
	generator struct {
		each func(yield func(any) error) error
	}
)

func newDict() *dict { return &dict{at: map[string]int{}} }

func (d *dict) get(r *run, key any) (any, bool, error) {
	k, err := r.keyOf(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.at[k]
	if !ok {
		return nil, false, nil
	}
	return d.values[i], true, nil
}

func (d *dict) put(r *run, key, value any) error {
	k, err := r.keyOf(key)
	if err != nil {
		return err
	}
	if i, ok := d.at[k]; ok {
		d.values[i] = value
		return nil
	}
	d.at[k] = len(d.keys)
	d.keys, d.values = append(d.keys, key), append(d.values, value)
	return nil
}

// keyOf makes equal texts of equal values: 1, 1.0 and True are one key.
func (r *run) keyOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "None", nil
	case string:
		return "'" + v, r.look(len(v))
	case bool, *big.Int:
		return "n" + whole(v).String(), nil
	case float64:
		if v == math.Trunc(v) && !math.IsInf(v, 0) {
			n, _ := big.NewFloat(v).Int(nil)
			return "n" + n.String(), nil
		}
		return "f" + strconv.FormatFloat(v, 'g', -1, 64), nil
	case tuple:
		var b strings.Builder
		b.WriteByte('(')
		for _, item := range v {
			k, err := r.keyOf(item)
			if err == nil {
				err = r.take(len(k)) // parts may be shared, so their texts can be many
			}
			if err != nil {
				return "", err
			}
			b.WriteString(strconv.Itoa(len(k)) + ":" + k)
		}
		return b.String(), nil
	}
	return "", faultf("%s cannot be a key or an item of a set", typeName(v))
}

// Truth tells whether a value counts as true, as in Python: None, zero and what is empty
// do not.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case tuple:
		return len(v) > 0
	case *set:
		return len(v.items.keys) > 0
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// typeName is Python's name of a value's type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case []any:
		return "list"
	case tuple:
		return "tuple"
	case *set:
		return "set"
	case *dict:
		return "dict"
	case *generator:
		return "generator"
	}
	return "function"
}

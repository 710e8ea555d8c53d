package expressions

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
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

// text is str(v).
func (r *run) text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return r.repr(v)
}

// repr is repr(v).
func (r *run) repr(v any) (string, error) {
	w := reprWriter{run: r}
	if err := w.write(v); err != nil {
		return "", err
	}
	return w.b.String(), nil
}

type reprWriter struct {
	run *run
	b   strings.Builder
}

func (w *reprWriter) put(s string) error {
	if err := w.run.take(len(s)); err != nil {
		return err
	}
	w.b.WriteString(s)
	return nil
}

func (w *reprWriter) write(v any) error {
	switch v := v.(type) {
	case nil:
		return w.put("None")
	case bool:
		if v {
			return w.put("True")
		}
		return w.put("False")
	case *big.Int:
		return w.put(v.String())
	case float64:
		return w.put(floatText(v))
	case string:
		if err := w.run.take(len(v)); err != nil {
			return err
		}
		return w.put(quoted(v))
	case []any:
		return w.items("[", v, "]")
	case tuple:
		if len(v) == 1 {
			return w.items("(", v, ",)")
		}
		return w.items("(", v, ")")
	case *set:
		if len(v.items.keys) == 0 {
			return w.put("set()")
		}
		return w.items("{", v.items.keys, "}")
	case *dict:
		return w.dict(v)
	}
	return faultf("a %s has no text", typeName(v))
}

func (w *reprWriter) items(open string, items []any, end string) error {
	if err := w.put(open); err != nil {
		return err
	}
	for i, item := range items {
		if i > 0 {
			if err := w.put(", "); err != nil {
				return err
			}
		}
		if err := w.write(item); err != nil {
			return err
		}
	}
	return w.put(end)
}

func (w *reprWriter) dict(d *dict) error {
	if err := w.put("{"); err != nil {
		return err
	}
	for i, key := range d.keys {
		if i > 0 {
			w.b.WriteString(", ")
		}
		if err := w.write(key); err != nil {
			return err
		}
		w.b.WriteString(": ")
		if err := w.write(d.values[i]); err != nil {
			return err
		}
	}
	return w.put("}")
}

// floatText is the shortest text that gives the number again, as Python writes it.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// quoted is a text in quotes, as Python shows it.
func quoted(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, c := range s {
		switch {
		case c == quote || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f || c >= 0x80 && !unicode.IsPrint(c):
			b.WriteString(hexEscape(c))
		default:
			b.WriteRune(c)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

func hexEscape(c rune) string {
	digits := strconv.FormatInt(int64(c), 16)
	for _, form := range []struct {
		letter string
		size   int
	}{{"x", 2}, {"u", 4}, {"U", 8}} {
		if len(digits) <= form.size {
			return `\` + form.letter + strings.Repeat("0", form.size-len(digits)) + digits
		}
	}
	return digits
}

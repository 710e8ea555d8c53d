package expressions

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

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

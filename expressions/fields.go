package expressions

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// callFormat is "…{}…".format(…). A field is a number or a name, with indexes of numbers
// or keys behind it; there are no attributes here.
func callFormat(r *run, of any, a arguments) (any, error) {
	f := fieldFormatter{run: r, args: a}
	made, err := f.format(of.(string), 2)
	return made, err
}

type fieldFormatter struct {
	run  *run
	args arguments
	next int // the field without a number that comes next; -1 once fields are numbered
}

// format fills in the fields; a format of a field may have fields itself, one level deep.
func (f *fieldFormatter) format(text string, depth int) (string, error) {
	if depth == 0 {
		return "", faultf("the fields of a format are nested too deep")
	}
	var b strings.Builder
	put := func(s string) error {
		b.WriteString(s)
		return f.run.take(len(s))
	}
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			i = len(text)
		}
		if err := put(text[:i]); err != nil {
			return "", err
		}
		if text = text[i:]; text == "" {
			break
		}
		if strings.HasPrefix(text, text[:1]+text[:1]) {
			if err := put(text[:1]); err != nil {
				return "", err
			}
			text = text[2:]
			continue
		}
		end := closingBrace(text)
		if text[0] == '}' || end < 0 {
			return "", faultf("a single %q in a format is written twice", text[:1])
		}
		made, err := f.field(text[1:end], depth)
		if err != nil {
			return "", err
		}
		if err := put(made); err != nil {
			return "", err
		}
		text = text[end+1:]
	}
	return b.String(), nil
}

// closingBrace finds the brace that closes the one at the start.
func closingBrace(text string) int {
	open := 0
	for i, c := range text {
		switch c {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// field formats what stands between the braces: name, !conversion, :format.
func (f *fieldFormatter) field(text string, depth int) (string, error) {
	field, spec, _ := strings.Cut(text, ":")
	field, kind, converts := strings.Cut(field, "!")
	conversion := byte(0)
	if converts {
		if len(kind) != 1 || !strings.Contains("sra", kind) {
			return "", faultf("behind ! in a format stands s, r or a")
		}
		conversion = kind[0]
	}
	v, err := f.value(field)
	if err != nil {
		return "", err
	}
	if strings.Contains(spec, "{") {
		if spec, err = f.format(spec, depth-1); err != nil {
			return "", err
		}
	}
	return f.run.formatted(v, conversion, spec)
}

func (f *fieldFormatter) value(field string) (any, error) {
	end := strings.IndexAny(field, ".[")
	if end < 0 {
		end = len(field)
	}
	v, err := f.argument(field[:end])
	for rest := field[end:]; err == nil && rest != ""; {
		closed := strings.IndexByte(rest, ']')
		if rest[0] != '[' || closed < 2 {
			return nil, faultf("a field of a format has no attributes here: %q", field)
		}
		var key any = rest[1:closed]
		if n, ok := new(big.Int).SetString(rest[1:closed], 10); ok && n.Sign() >= 0 {
			key = n
		}
		v, err = f.run.item(v, key)
		rest = rest[closed+1:]
	}
	return v, err
}

func (f *fieldFormatter) argument(name string) (any, error) {
	n, err := strconv.Atoi(name)
	switch {
	case name == "" && f.next < 0, name != "" && err == nil && f.next > 0:
		return nil, faultf("the fields of a format are all numbered, or none is")
	case name == "":
		n = f.next
		f.next++
	case err == nil:
		f.next = -1
	default:
		v, ok := f.args.named[name]
		if !ok {
			return nil, faultf("format has no argument %q", name)
		}
		return v, nil
	}
	if n < 0 || n >= len(f.args.list) {
		return nil, faultf("format has %d arguments, and field %d wants one more", len(f.args.list), n)
	}
	return f.args.list[n], nil
}

var percentForm = regexp.MustCompile(`(?s)%(?:\(([^()]*)\))?([-+ 0#]*)(\d*)(?:\.(\d*))?(.)`)

// percent is "…%s…" % values.
func (r *run) percent(format string, values any) (string, error) {
	args, several := values.(tuple)
	if !several {
		args = tuple{values}
	}
	var b strings.Builder
	used, named, rest := 0, false, format
	for {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			break
		}
		at := percentForm.FindStringSubmatchIndex(rest[i:])
		if at == nil || at[0] != 0 {
			return "", faultf("the format %q ends within a field", abridged(format))
		}
		m := percentForm.FindStringSubmatch(rest[i:])
		made := "%"
		if m[5] != "%" {
			v, err := r.percentValue(m[1], at[2] >= 0, values, args, &used)
			if err != nil {
				return "", err
			}
			named = named || at[2] >= 0
			if made, err = r.percentField(v, m, at[8] >= 0); err != nil {
				return "", err
			}
		}
		if err := r.take(i + len(made)); err != nil {
			return "", err
		}
		b.WriteString(rest[:i] + made)
		rest = rest[i+at[1]:]
	}
	keyed := false // what has indexes may have more than the format asks for, as in Python
	switch values.(type) {
	case *dict, []any:
		keyed = true
	}
	if used < len(args) && !named && !keyed {
		return "", faultf("there are more values than fields in the format")
	}
	if err := r.take(len(rest)); err != nil {
		return "", err
	}
	b.WriteString(rest)
	return b.String(), nil
}

func (r *run) percentValue(key string, byKey bool, values any, args tuple, used *int) (any, error) {
	if byKey {
		if _, ok := values.(*dict); !ok {
			return nil, faultf("a format with names wants a dictionary, not %s", typeName(values))
		}
		return r.item(values, key)
	}
	if *used >= len(args) {
		return nil, faultf("there are fewer values than fields in the format")
	}
	*used++
	return args[*used-1], nil
}

// percentField formats one value by the matched parts of its field.
func (r *run) percentField(v any, m []string, hasPrecision bool) (string, error) {
	l := layout{align: '>', fill: ' ', precision: -1, alternate: strings.Contains(m[2], "#")}
	for _, n := range []struct {
		text string
		to   *int
	}{{m[3], &l.width}, {m[4], &l.precision}} {
		if n.text == "" {
			continue
		}
		size, err := strconv.Atoi(n.text)
		if err != nil || size > maxWidth {
			return "", faultf("a width in a format is at most %d", maxWidth)
		}
		*n.to = size
	}
	if hasPrecision && m[4] == "" {
		l.precision = 0
	}
	if err := r.take(l.width + max(l.precision, 0) + 1); err != nil {
		return "", err
	}
	switch {
	case strings.Contains(m[2], "+"):
		l.sign = '+'
	case strings.Contains(m[2], " "):
		l.sign = ' '
	}
	left, zero := strings.Contains(m[2], "-"), strings.Contains(m[2], "0")
	if left {
		l.align = '<'
	}
	switch kind := m[5]; kind {
	case "s", "r", "a":
		text, err := r.text(v)
		if kind != "s" {
			text, err = r.repr(v)
		}
		if err != nil {
			return "", err
		}
		if l.precision >= 0 {
			text = text[:byteOffset(text, l.precision)]
		}
		return pad(text, l), r.take(len(text))
	case "d", "i", "u", "x", "X", "o", "c", "f", "F", "e", "E", "g", "G":
		if zero && !left {
			l.align, l.fill = '=', '0'
		}
		return r.percentNumber(v, kind[0], l)
	}
	return "", faultf("%%%s is no field of a format", m[5])
}

func (r *run) percentNumber(v any, kind byte, l layout) (string, error) {
	if s, ok := v.(string); ok && kind == 'c' && len([]rune(s)) == 1 {
		return pad(s, l), nil
	}
	if !isNumber(v) {
		return "", faultf("%%%s wants a number, not %s", string(kind), typeName(v))
	}
	l.kind = kind
	if strings.IndexByte("diu", kind) >= 0 {
		l.kind = 'd'
		if f, ok := v.(float64); ok {
			n, err := wholeOfFloat(f)
			if err != nil {
				return "", err
			}
			v = n
		}
	}
	if strings.IndexByte("dxXoc", l.kind) >= 0 {
		digits := max(l.precision, 0)
		l.precision = -1
		if n := whole(v); n != nil && digits > 0 && l.kind == 'd' {
			text := new(big.Int).Abs(n).String()
			text = strings.Repeat("0", max(digits-len(text), 0)) + text
			return l.signed(strings.Repeat("-", (1-n.Sign())/2) + text), nil
		}
	}
	return r.layNumber(v, l)
}

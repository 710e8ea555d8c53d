package expressions

import (
	"math"
	"strconv"
	"strings"
)

// text is str(v).
func (r *run) text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return r.shown(v)
}

// shown is a value as Python writes it: texts in quotes, items with commas between.
func (r *run) shown(v any) (text string, err error) {
	switch v := v.(type) {
	case nil:
		text = "None"
	case bool:
		text = map[bool]string{true: "True", false: "False"}[v]
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = floatText(v)
	case string:
		text = quoted(v)
	case *set:
		if len(v.items.keys) == 0 {
			return "set()", nil
		}
		text, err = r.shownItems("{", v.items.keys, nil, "}")
	case *dict:
		text, err = r.shownItems("{", v.keys, v.values, "}")
	case []any:
		text, err = r.shownItems("[", v, nil, "]")
	}
	if err == nil {
		err = r.take(len(text))
	}
	return text, err
}

func (r *run) shownItems(open string, items, values []any, end string) (string, error) {
	var b strings.Builder
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		text, err := r.shown(item)
		if err == nil && values != nil {
			b.WriteString(text + ": ")
			text, err = r.shown(values[i])
		}
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String() + end, nil
}

// floatText is the shortest text that gives the number again, as Python writes it.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, 64)), "+")
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

var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// quoted is a text in quotes, as Python shows it; characters that cannot be printed stay as
// they are.
func quoted(s string) string {
	s = escapes.Replace(s)
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

// abridged is a text as an error may show it.
func abridged(text string) string {
	if runes := []rune(text[:min(len(text), 200)]); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

package cypherfile

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// literalText writes a property value so that Neo4j and Parse read the same value. A time,
// which only a graph edited by hand can hold, becomes its text.
func literalText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("the number %v cannot be written", v)
		}
		return floatText(v), nil
	case json.Number:
		return v.String(), nil
	case string:
		return quoted(v), nil
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return listText(list)
	case []any:
		return listText(v)
	case time.Time:
		return quoted(v.Format(time.RFC3339Nano)), nil
	}
	return "", fmt.Errorf("a value of type %T cannot be written as a property", v)
}

func listText(list []any) (string, error) {
	texts := make([]string, len(list))
	for i, item := range list {
		switch item.(type) {
		case []any, nil:
			return "", fmt.Errorf("a list with %s in it cannot be written as a property", typeName(item))
		}
		var err error
		if texts[i], err = literalText(item); err != nil {
			return "", err
		}
	}
	if _, err := propertyValue(0, "", list); err != nil {
		return "", fmt.Errorf("a list of values of several types cannot be written as a property")
	}
	return "[" + strings.Join(texts, ", ") + "]", nil
}

// quoted is a text in single quotes. What does not print is written as \uXXXX.
func quoted(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for _, c := range s {
		switch c {
		case '\'', '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		case '\b':
			b.WriteString(`\b`)
		case '\f':
			b.WriteString(`\f`)
		default:
			writeVisible(&b, c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

func writeVisible(b *strings.Builder, c rune) {
	if unicode.IsPrint(c) || c > 0xFFFF {
		b.WriteRune(c)
		return
	}
	fmt.Fprintf(b, `\u%04X`, c)
}

// nameText is a variable, label or property name, in backticks where it must be.
func nameText(s string) string {
	if isPlainName(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('`')
	for _, c := range s {
		switch c {
		case '`':
			b.WriteString("``")
		case '\\': // Neo4j looks for \u before it looks for names
			b.WriteString(`\u005C`)
		default:
			writeVisible(&b, c)
		}
	}
	b.WriteByte('`')
	return b.String()
}

func isPlainName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return s != ""
}

// floatText writes a float so that it is read as a float again.
func floatText(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	s = strings.Replace(s, "e+", "e", 1)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

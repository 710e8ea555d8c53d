package expressions

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads a number as Python writes it.
func number(text string) (any, error) {
	bad := func() (any, error) { return nil, faultf("%q is not a number", text) }
	digits := strings.ReplaceAll(text, "_", "")
	if strings.HasSuffix(text, "_") || strings.Contains(text, "__") || strings.HasPrefix(text, "_") ||
		strings.Contains(text, "_.") || strings.Contains(text, "._") || strings.Contains(text, "_e") || strings.Contains(text, "_E") {
		return bad()
	}
	lower := strings.ToLower(digits)
	based := strings.HasPrefix(lower, "0x") || strings.HasPrefix(lower, "0o") || strings.HasPrefix(lower, "0b")
	if !based && strings.ContainsAny(lower, ".e") {
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil && !isRange(err) {
			return bad()
		}
		return f, nil
	}
	if !based && len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0") != "" {
		return nil, faultf("a whole number does not begin with 0: %q", text)
	}
	base := 10
	if based {
		base = 0
	}
	n, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return bad()
	}
	return bounded(n)
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// unescape reads the inside of a text that is not raw. An escape that Python does not know
// stays as it is written.
func unescape(text string) (string, error) {
	if !strings.Contains(text, `\`) {
		return text, nil
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String(), nil
		}
		b.WriteString(text[:i])
		made, size, err := escape(text[i:])
		if err != nil {
			return "", err
		}
		b.WriteString(made)
		text = text[i+size:]
	}
}

var simpleEscapes = map[byte]string{'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

// escape reads the escape at the start of text; size is its length in bytes.
func escape(text string) (made string, size int, err error) {
	c := text[1]
	if made, ok := simpleEscapes[c]; ok {
		return made, 2, nil
	}
	switch {
	case c >= '0' && c <= '7':
		size = 2
		for size < 4 && size < len(text) && text[size] >= '0' && text[size] <= '7' {
			size++
		}
		code, _ := strconv.ParseUint(text[1:size], 8, 32)
		return string(rune(code)), size, nil
	case c == 'x':
		size = 4
	case c == 'u':
		size = 6
	case c == 'U':
		size = 10
	case c == 'N':
		return "", 0, faultf(`\N{…} is not known here; write the character itself`)
	default:
		_, n := utf8.DecodeRuneInString(text[1:])
		return text[:1+n], 1 + n, nil
	}
	if len(text) < size {
		return "", 0, faultf("the escape %q is cut off", text)
	}
	code, err := strconv.ParseUint(text[2:size], 16, 32)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return "", 0, faultf("the escape %q is no character", text[:size])
	}
	return string(rune(code)), size, nil
}

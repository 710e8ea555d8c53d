package lenient

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// quoted reads a text in either kind of quotes.
func (r *reader) quoted() (string, error) {
	open := r.at
	quote := r.text[open]
	r.at++
	var b strings.Builder
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[r.at:])
		switch {
		case c == rune(quote):
			r.at++
			return b.String(), nil
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
			continue
		case c == '\n' || c == '\r':
			return "", r.fault(open, "the text is not closed on its line")
		}
		b.WriteRune(c)
		r.at += size
	}
	return "", r.fault(open, "the text is never closed")
}

// simple are the escapes of one character that stand for another; those of line ends stand
// for nothing, and every other character for itself.
var simple = map[rune]string{'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '0': "\x00",
	'\n': "", '\r': "", '\u2028': "", '\u2029': ""}

func (r *reader) escape(b *strings.Builder) error {
	if r.at+1 == len(r.text) {
		return r.fault(r.at, "the text is never closed")
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at+1:])
	switch c {
	case 'x':
		return r.coded(b, 2)
	case 'u':
		return r.coded(b, 4)
	}
	if with, ok := simple[c]; ok {
		b.WriteString(with)
	} else {
		b.WriteRune(c)
	}
	if c == '\r' && strings.HasPrefix(r.text[r.at+2:], "\n") {
		size++
	}
	r.at += 1 + size
	return nil
}

// coded reads \xHH or \uHHHH, and both halves of a character that takes two.
func (r *reader) coded(b *strings.Builder, digits int) error {
	first, ok := hex(r.text, r.at+2, digits)
	if !ok {
		return r.fault(r.at, "want %d hexadecimal digits", digits)
	}
	r.at += 2 + digits
	if utf16.IsSurrogate(first) && strings.HasPrefix(r.text[r.at:], `\u`) {
		if second, ok := hex(r.text, r.at+2, 4); ok && utf16.DecodeRune(first, second) != utf8.RuneError {
			r.at += 6
			first = utf16.DecodeRune(first, second)
		}
	}
	b.WriteRune(first)
	return nil
}

func hex(text string, at, digits int) (rune, bool) {
	if at+digits > len(text) {
		return 0, false
	}
	n, err := strconv.ParseUint(text[at:at+digits], 16, 32)
	return rune(n), err == nil
}

// write writes a text as JSON, with nothing escaped that JSON does not require.
func (r *reader) write(text string) {
	made, _ := jsontext.Marshal(text) // a text always has a JSON form
	r.out.Write(made)
}

// numberForm is JSON5's form of a number, its sign aside.
var numberForm = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`)

func (r *reader) number() error {
	start := r.at
	negative := r.text[r.at] == '-'
	if negative || r.text[r.at] == '+' {
		r.at++
	}
	written := numberForm.FindString(r.text[r.at:])
	r.at += len(written)
	after := r.peek()
	if written == "" || after == '.' || after >= '0' && after <= '9' || after == '_' || after == '$' || letter(after) {
		return r.fault(start, "this is not a number")
	}
	if written == "Infinity" || written == "NaN" {
		r.out.WriteString("null")
		return nil
	}
	if negative {
		r.out.WriteByte('-')
	}
	r.out.WriteString(strict(written))
	return nil
}

func letter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// strict is a number as JSON writes it: in tens, with digits on both sides of its point.
func strict(written string) string {
	if len(written) > 2 && (written[1] == 'x' || written[1] == 'X') {
		n, _ := new(big.Int).SetString(written[2:], 16) // whose form has been looked at
		return n.String()
	}
	whole, rest, point := strings.Cut(written, ".")
	if !point {
		return written
	}
	if whole == "" {
		whole = "0"
	}
	if rest == "" || rest[0] == 'e' || rest[0] == 'E' {
		return whole + rest
	}
	return whole + "." + rest
}

package references

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
)

// An Operand is a reference used as an operand of an expression, with its default.
type Operand struct {
	// From and To are where it stands, as offsets of bytes; To is behind its default.
	From, To int
	// Text is the reference, with those it falls back to, without the plain default.
	Text string
	// Default is the plain default as written, quotes included.
	Default    string
	HasDefault bool
}

// Operands finds the references of an expression, so that values can be bound to them. They
// follow the grammar of a template but for the plain default: it may be quoted or be a list
// or an object of JSON, blanks included, and a bare one ends at an operator too, as in
// "@{SESSION_ID}.score.value|0>=3".
func Operands(text string) []Operand {
	var all []Operand
	for at := 0; ; {
		start := nextReference(text, at)
		if start < 0 {
			return all
		}
		o := scanOperand(text, start)
		all = append(all, o)
		at = o.To
	}
}

func scanOperand(text string, start int) Operand {
	_, end, _ := scanReference(text, start)
	o := Operand{From: start}
	for end < len(text) && text[end] == '|' && !strings.HasPrefix(text[end:], "||") {
		_, after, ok := scanReference(text, end+1)
		if !ok {
			o.Text, o.HasDefault = text[start:end], true
			o.To = operandDefaultEnd(text, end+1)
			o.Default = text[end+1 : o.To]
			return o
		}
		end = after
	}
	o.Text, o.To = text[start:end], end
	return o
}

// operandDefaultEnd finds the end of a plain default in an expression.
func operandDefaultEnd(text string, at int) int {
	rest := text[at:]
	switch {
	case rest == "":
		return at
	case rest[0] == '\'' || rest[0] == '"':
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return at + 1 + end + 1
		}
	case rest[0] == '[' || rest[0] == '{':
		decoder := json.NewDecoder(bytes.NewReader([]byte(rest)))
		var value json.RawMessage
		if decoder.Decode(&value) == nil {
			return at + int(decoder.InputOffset())
		}
	}
	end := len(text)
	for i, r := range rest {
		if unicode.IsSpace(r) || strings.ContainsRune("<>=!&|", r) || r == '@' && startsReference(text, at+i) {
			end = at + i
			break
		}
	}
	return at + len(strings.TrimRight(text[at:end], closing))
}

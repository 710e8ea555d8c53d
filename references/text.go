package references

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// quote gives a text as a JSON string in which nothing is escaped that JSON
// does not require. Bytes that are not UTF-8 become U+FFFD.
func quote(text string) json.RawMessage {
	to := make([]byte, 0, len(text)+2)
	to = append(to, '"')
	to = appendEscaped(to, text)
	return append(to, '"')
}

// wrapText makes a JSON string of its inside.
func wrapText(inside []byte) json.RawMessage {
	to := make([]byte, 0, len(inside)+2)
	to = append(to, '"')
	to = append(to, inside...)
	return append(to, '"')
}

func unquote(text []byte) (decoded string, err error) {
	err = json.Unmarshal(text, &decoded)
	return decoded, err
}

const hex = "0123456789abcdef"

// appendEscaped appends a text as the inside of a JSON string.
func appendEscaped[T string | []byte](to []byte, text T) []byte {
	done := 0
	for at := 0; at < len(text); {
		c := text[at]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' {
				at++
				continue
			}
			to = append(to, text[done:at]...)
			to = appendEscape(to, c)
			at++
			done = at
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[at:min(at+utf8.UTFMax, len(text))]))
		if r == utf8.RuneError && size == 1 {
			to = append(to, text[done:at]...)
			to = utf8.AppendRune(to, utf8.RuneError)
			done = at + 1
		}
		at += size
	}
	return append(to, text[done:]...)
}

// appendEscape appends an ASCII character that cannot stand in a JSON string.
func appendEscape(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, `\b`...)
	case '\f':
		return append(to, `\f`...)
	case '\n':
		return append(to, `\n`...)
	case '\r':
		return append(to, `\r`...)
	case '\t':
		return append(to, `\t`...)
	}
	return append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// appendText appends the text form of a value as the inside of a JSON string:
// text as it is, everything else as compact JSON.
func appendText(to []byte, value json.RawMessage) []byte {
	switch value[0] {
	case '"':
		return appendInside(to, inside(value))
	case '{', '[':
		return appendEscaped(to, appendCompact(nil, value))
	}
	return append(to, value...)
}

// inside is a JSON string without its quotes.
func inside(text []byte) []byte {
	if len(text) < 2 {
		return nil
	}
	return text[1 : len(text)-1]
}

// appendCompact appends a value without blanks between its parts. Numbers and
// the order of keys stay as they are.
func appendCompact(to, value []byte) []byte {
	for at := 0; at < len(value); {
		switch c := value[at]; {
		case c == '"':
			end := stringEnd(value, at)
			to = append(to, '"')
			to = appendInside(to, inside(value[at:end]))
			to = append(to, '"')
			at = end
		case isSpace(c):
			at++
		default:
			to = append(to, c)
			at++
		}
	}
	return to
}

// appendInside appends the inside of a JSON string with no more escapes than
// JSON requires. Half a surrogate pair stays escaped: it has no other form.
func appendInside(to, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			return appendUTF8(to, text)
		}
		to = appendUTF8(to, text[:i])
		text = text[i:]
		size := 2
		switch text[1] {
		case '/':
			to = append(to, '/')
		case 'u':
			to, size = appendUnicode(to, text)
		default:
			to = append(to, text[:2]...)
		}
		text = text[size:]
	}
}

// appendUnicode appends what the escape \uXXXX at the start of text stands for;
// size is the length of the escape, of both where two make one character.
func appendUnicode(to, text []byte) (out []byte, size int) {
	const one = len(`\u0000`)
	r, ok := hexRune(text)
	switch {
	case !ok:
		return append(to, text[:2]...), 2
	case r < utf8.RuneSelf:
		return appendEscaped(to, []byte{byte(r)}), one
	case !utf16.IsSurrogate(r):
		return utf8.AppendRune(to, r), one
	}
	if low, ok := hexRune(text[one:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return utf8.AppendRune(to, pair), 2 * one
		}
	}
	return append(to, text[:one]...), one
}

func hexRune(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

func appendUTF8(to, text []byte) []byte {
	if utf8.Valid(text) {
		return append(to, text...)
	}
	return append(to, bytes.ToValidUTF8(text, []byte("\uFFFD"))...)
}

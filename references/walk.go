package references

import (
	"bytes"
	"encoding/json"
)

// The functions here find their way through JSON text that is known to be
// valid. On other text they end without a panic, with a result that means
// nothing. None of them recurses.

// walk follows path into value.
func walk(value json.RawMessage, path []field) (json.RawMessage, outcome) {
	for i, f := range path {
		next, size := step(value, f)
		if next == nil {
			return nil, outcome{kind: noField, at: i, in: value[0], size: size}
		}
		value = next
	}
	return value, outcome{}
}

// step goes one field into value; size is the length of the list it looked in.
func step(value json.RawMessage, f field) (next json.RawMessage, size int) {
	switch {
	case value[0] == '{' && !f.bracket:
		return member(value, f.name), 0
	case value[0] == '[' && f.numeric:
		return item(value, f.index)
	}
	return nil, 0
}

// member gives the value of a name in an object, nil when it has none. Of
// several the last one counts, as for every reader of JSON that builds a map.
func member(object []byte, name string) (value json.RawMessage) {
	at := skipSpace(object, 1)
	for at < len(object) && object[at] == '"' {
		keyEnd := stringEnd(object, at)
		start := skipSpace(object, keyEnd)
		if start >= len(object) || object[start] != ':' {
			break
		}
		start = skipSpace(object, start+1)
		end := valueEnd(object, start)
		if end > start && keyIs(object[at:keyEnd], name) {
			value = object[start:end:end]
		}
		at = afterComma(object, end)
	}
	return value
}

// keyIs compares a name with a key as it is written, quotes included.
func keyIs(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return len(key) == len(name)+2 && string(key[1:len(key)-1]) == name
	}
	decoded, err := unquote(key)
	return err == nil && decoded == name
}

// item gives the n-th value of a list, from the end where n is negative, and
// the length of the list when there is no such value.
func item(list []byte, n int) (value json.RawMessage, size int) {
	if n == newest {
		return lastItem(list)
	}
	if n < 0 {
		_, size = lastItem(list)
		if n += size; n < 0 {
			return nil, size
		}
	}
	size = 0
	for start, end := firstItem(list); end > start; start, end = nextItem(list, end) {
		if size == n {
			return list[start:end:end], 0
		}
		size++
	}
	return nil, size
}

func lastItem(list []byte) (value json.RawMessage, size int) {
	for start, end := firstItem(list); end > start; start, end = nextItem(list, end) {
		value = list[start:end:end]
		size++
	}
	return value, size
}

func firstItem(list []byte) (start, end int) {
	start = skipSpace(list, 1)
	return start, valueEnd(list, start)
}

func nextItem(list []byte, end int) (int, int) {
	start := afterComma(list, end)
	return start, valueEnd(list, start)
}

// afterComma skips the comma behind a value and the blanks around it.
func afterComma(text []byte, at int) int {
	at = skipSpace(text, at)
	if at < len(text) && text[at] == ',' {
		return skipSpace(text, at+1)
	}
	return at
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// valueEnd finds the end of the value that begins at text[at]; at itself when
// none does.
func valueEnd(text []byte, at int) int {
	if at >= len(text) {
		return at
	}
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '{', '[':
		return containerEnd(text, at)
	}
	for at < len(text) {
		switch c := text[at]; {
		case isSpace(c), c == ',', c == ']', c == '}', c == ':':
			return at
		}
		at++
	}
	return at
}

func containerEnd(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return at + 1
			}
		}
		at++
	}
	return at
}

// stringEnd finds the end of the string that begins with the quote at text[at].
func stringEnd(text []byte, at int) int {
	at++
	if i := bytes.IndexByte(text[at:], '"'); i < 0 {
		return len(text)
	} else if escape := bytes.IndexByte(text[at:at+i], '\\'); escape < 0 {
		return at + i + 1
	} else {
		at += escape
	}
	for at < len(text) {
		switch text[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
		at++
	}
	return len(text)
}

func trim(value []byte) []byte {
	value = value[skipSpace(value, 0):]
	for len(value) > 0 && isSpace(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	return value
}

func isNull(value []byte) bool { return string(value) == "null" }

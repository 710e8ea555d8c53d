package lenient

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reader goes through a text once and writes strict JSON.
type reader struct {
	text string
	at   int // bytes read
	out  bytes.Buffer
}

// value reads what stands next, blanks before it included.
func (r *reader) value(depth int) error {
	if err := r.blanks(); err != nil {
		return err
	}
	if depth > maxDepth {
		return r.fault(r.at, "nested more than %d deep", maxDepth)
	}
	switch c := r.peek(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.list(depth)
	case c == '"' || c == '\'':
		text, err := r.quoted()
		if err != nil {
			return err
		}
		r.write(text)
		return nil
	case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
		return r.number()
	}
	return r.word()
}

func (r *reader) list(depth int) error {
	open := r.at
	r.at++
	r.out.WriteByte('[')
	for first := true; ; first = false {
		done, err := r.closes(']', open, first)
		if done || err != nil {
			return err
		}
		if err := r.value(depth + 1); err != nil {
			return err
		}
	}
}

func (r *reader) object(depth int) error {
	open := r.at
	r.at++
	r.out.WriteByte('{')
	for first := true; ; first = false {
		done, err := r.closes('}', open, first)
		if done || err != nil {
			return err
		}
		name, err := r.name()
		if err != nil {
			return err
		}
		r.write(name)
		if err := r.blanks(); err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.unexpected("a colon")
		}
		r.at++
		r.out.WriteByte(':')
		if err := r.value(depth + 1); err != nil {
			return err
		}
	}
}

// closes reads what stands between elements: the comma, or the end of the list or object
// that began at open, before which a comma may stand too.
func (r *reader) closes(end byte, open int, first bool) (bool, error) {
	if err := r.blanks(); err != nil {
		return false, err
	}
	comma := !first && r.peek() == ','
	if comma {
		r.at++
		if err := r.blanks(); err != nil {
			return false, err
		}
	}
	switch {
	case r.peek() == rune(end):
		r.at++
		r.out.WriteByte(end)
		return true, nil
	case r.at == len(r.text):
		return false, r.fault(open, "%q is never closed", r.text[open])
	case !first && !comma:
		return false, r.unexpected(fmt.Sprintf("a comma or %q", end))
	case !first:
		r.out.WriteByte(',')
	}
	return false, nil
}

// name is that of a field: a text or an identifier.
func (r *reader) name() (string, error) {
	if c := r.peek(); c == '"' || c == '\'' {
		return r.quoted()
	}
	name := r.identifier()
	if name == "" {
		return "", r.unexpected("the name of a field")
	}
	return name, nil
}

func (r *reader) identifier() string {
	start := r.at
	for r.at < len(r.text) {
		c, size := utf8.DecodeRuneInString(r.text[r.at:])
		if c != '$' && c != '_' && !unicode.IsLetter(c) && (r.at == start || !unicode.IsDigit(c)) {
			break
		}
		r.at += size
	}
	return r.text[start:r.at]
}

func (r *reader) word() error {
	start := r.at
	switch word := r.identifier(); word {
	case "true", "false", "null":
		r.out.WriteString(word)
		return nil
	case "NaN", "Infinity":
		r.out.WriteString("null")
		return nil
	}
	r.at = start
	return r.unexpected("a value")
}

// blanks passes over white space and comments.
func (r *reader) blanks() error {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch c, size := utf8.DecodeRuneInString(rest); {
		case isBlank(c):
			r.at += size
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexAny(rest, "\n\r\u2028\u2029")
			if end < 0 {
				end = len(rest)
			}
			r.at += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return r.fault(r.at, "the comment is never closed")
			}
			r.at += end + 4
		default:
			return nil
		}
	}
	return nil
}

func isBlank(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' || c == '\u180e' }

// peek is the next character, -1 at the end.
func (r *reader) peek() rune {
	if r.at == len(r.text) {
		return -1
	}
	c, _ := utf8.DecodeRuneInString(r.text[r.at:])
	return c
}

func (r *reader) unexpected(wanted string) error {
	if r.at == len(r.text) {
		return r.fault(r.at, "want %s, not the end of the text", wanted)
	}
	return r.fault(r.at, "want %s, not %q", wanted, r.peek())
}

func (r *reader) fault(at int, format string, args ...any) error {
	before := r.text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return &Error{Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(before[start:]) + 1, Message: fmt.Sprintf(format, args...)}
}

package jsontext

import (
	"encoding/json"

	"github.com/tidwall/gjson"
)

// A Scanner goes through a JSON text once: it checks the text and hands out the texts of the values
// that its user asks for. To check first and then to look for members goes through a large value
// once for each object that it is in.
type Scanner struct {
	text  []byte
	at    int
	depth int
	fault bool
}

// maxDepth is how deep values may be nested: what encoding/json takes.
const maxDepth = 10_000

// NewScanner returns a scanner of one JSON value. What it hands out are parts of text, which must not
// be changed.
func NewScanner(text []byte) *Scanner {
	s := &Scanner{text: text}
	s.blanks()
	return s
}

// Next returns the first byte of the next value, 0 at the end of the text.
func (s *Scanner) Next() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// Valid reports whether the text that was read is one JSON value and nothing else.
func (s *Scanner) Valid() bool { return !s.fault && s.at == len(s.text) }

// Object reads an object. member has to read the value of the key it is called with.
func (s *Scanner) Object(member func(key string)) {
	s.list('{', '}', func() {
		raw := s.key()
		if !s.fault {
			member(unquoted(raw))
		}
	})
}

// Array reads an array. element has to read an element.
func (s *Scanner) Array(element func()) { s.list('[', ']', element) }

// Raw reads a value and returns its text; nil if it is not valid.
func (s *Scanner) Raw() json.RawMessage {
	from := s.at
	end := s.value()
	if s.fault {
		return nil
	}
	return s.text[from:end:end]
}

// list reads what begins with open, is divided by commas and ends with end.
func (s *Scanner) list(open, end byte, item func()) {
	if s.depth++; s.depth > maxDepth || !s.take(open) {
		s.fault = true
		return
	}
	for first := true; !s.fault; first = false {
		if s.Next() == end && first {
			break
		}
		item()
		if s.Next() == end {
			break
		}
		if !s.take(',') {
			s.fault = true
		}
	}
	s.depth--
	s.take(end)
}

// take reads one byte and the blanks behind it.
func (s *Scanner) take(c byte) bool {
	if s.Next() != c {
		return false
	}
	s.at++
	s.blanks()
	return true
}

func (s *Scanner) blanks() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// key reads the name of a member with its colon and returns its text.
func (s *Scanner) key() []byte {
	from := s.at
	s.quoted()
	raw := s.text[from:s.at]
	s.blanks()
	if !s.take(':') {
		s.fault = true
	}
	return raw
}

// unquoted is the text of a string without its quotes and escapes.
func unquoted(raw []byte) string {
	for _, c := range raw {
		if c == '\\' {
			return gjson.ParseBytes(raw).String()
		}
	}
	return string(raw[1 : len(raw)-1])
}

// value reads a value with the blanks behind it and returns where the value ends.
func (s *Scanner) value() (end int) {
	switch c := s.Next(); c {
	case '{', '[':
		return s.nested(c)
	case '"':
		s.quoted()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
	end = s.at
	s.blanks()
	return end
}

// nested reads an object or an array.
func (s *Scanner) nested(open byte) (end int) {
	closing := open + 2 // { and }, [ and ]
	s.list(open, closing, func() {
		if open == '{' {
			s.key()
		}
		if !s.fault {
			s.value()
		}
	})
	if s.fault {
		return s.at
	}
	end = s.at
	for s.text[end-1] != closing { // blanks follow it
		end--
	}
	return end
}

func (s *Scanner) word(want string) {
	if s.at+len(want) > len(s.text) || string(s.text[s.at:s.at+len(want)]) != want {
		s.fault = true
		return
	}
	s.at += len(want)
}

// quoted reads a string.
func (s *Scanner) quoted() {
	if s.Next() != '"' {
		s.fault = true
		return
	}
	text := s.text
	for i := s.at + 1; i < len(text); i++ {
		c := text[i]
		if !endsRun[c] {
			continue
		}
		switch {
		case c == '"':
			s.at = i + 1
			return
		case c == '\\':
			n := escape(text[i+1:])
			if n == 0 {
				s.fault = true
				return
			}
			i += n
		default: // a control character
			s.fault = true
			return
		}
	}
	s.fault = true
}

// endsRun are the bytes of a string that are looked at.
var endsRun = func() (ends [256]bool) {
	for c := range ' ' {
		ends[c] = true
	}
	ends['"'], ends['\\'] = true, true
	return ends
}()

// escape returns how many bytes follow a backslash, 0 if it is not valid.
func escape(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(text) < 5 {
			return 0
		}
		for _, c := range text[1:5] {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 5
	}
	return 0
}

func (s *Scanner) number() {
	if s.Next() == '-' {
		s.at++
	}
	if s.Next() == '0' {
		s.at++
	} else {
		s.digits()
	}
	if s.Next() == '.' {
		s.at++
		s.digits()
	}
	if s.Next()|0x20 == 'e' {
		s.at++
		if c := s.Next(); c == '+' || c == '-' {
			s.at++
		}
		s.digits()
	}
}

// digits reads one or more.
func (s *Scanner) digits() {
	from := s.at
	for c := s.Next(); c >= '0' && c <= '9'; c = s.Next() {
		s.at++
	}
	if s.at == from {
		s.fault = true
	}
}

package references

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const opening = "@{"

// scanReference reads the reference that begins at text[at]; end is the offset
// behind it. ok is false when none begins there. Every byte it passes over is
// part of the reference, so reading a text reference by reference is linear.
func scanReference(text string, at int) (ref reference, end int, ok bool) {
	session, end, ok := scanSession(text, at)
	if !ok {
		return reference{}, at, false
	}
	s := scanner{text: text, at: end, ref: reference{session: session, index: newest}}
	s.path()
	s.ref.text = text[at:s.at]
	return s.ref, s.at, true
}

// scanSession reads "@{id}". The id holds no brace, so a failed attempt never
// passes over the beginning of another one.
func scanSession(text string, at int) (session string, end int, ok bool) {
	if !strings.HasPrefix(text[at:], opening) {
		return "", at, false
	}
	start := at + len(opening)
	for i, r := range text[start:] {
		switch {
		case r == '}':
			return text[start : start+i], start + i + 1, i > 0
		case r == '{', unicode.IsSpace(r), unicode.IsControl(r):
			return "", at, false
		}
	}
	return "", at, false
}

// nextReference gives the offset of the first reference at or after at, or -1.
func nextReference(text string, at int) int {
	for {
		i := strings.Index(text[at:], opening)
		if i < 0 {
			return -1
		}
		at += i
		if startsReference(text, at) {
			return at
		}
		at += len(opening)
	}
}

func startsReference(text string, at int) bool {
	_, _, ok := scanSession(text, at)
	return ok
}

// A scanner reads what follows the braces of one reference.
type scanner struct {
	text string
	at   int
	ref  reference
}

func (s *scanner) path() {
	s.ref.step = s.dotName()
	if s.ref.step == "" {
		return
	}
	for {
		if s.at < len(s.text) && s.text[s.at] == '[' {
			s.bracket()
			continue
		}
		name := s.dotName()
		if name == "" {
			return
		}
		index, numeric := parseIndex(name)
		s.ref.path = append(s.ref.path, field{name: name, index: index, numeric: numeric})
	}
}

// dotName reads a dot and the name behind it. A dot without a name, as at the
// end of a sentence, is left where it is.
func (s *scanner) dotName() string {
	if s.at >= len(s.text) || s.text[s.at] != '.' {
		return ""
	}
	end := nameEnd(s.text, s.at+1)
	name := s.text[s.at+1 : end]
	if name != "" {
		s.at = end
	}
	return name
}

// bracket reads "[n]". What is malformed is passed over as far as it can be
// meant as part of the reference, so that it can be shown in full.
func (s *scanner) bracket() {
	start := s.at
	end, closed := bracketEnd(s.text, start)
	s.at = end
	written := s.text[start:end]
	if !closed {
		s.fail("%q is not closed", written)
		return
	}
	index, numeric := parseIndex(written[1 : len(written)-1])
	if !numeric {
		s.fail("%q is not an index: a number must stand between the brackets", written)
	}
	if after := nameEnd(s.text, end); after > end {
		s.fail("%q stands directly after %q", s.text[end:after], written)
		s.at = after
	}
	if len(s.ref.path) == 0 && !s.ref.hasIndex {
		s.ref.index, s.ref.hasIndex = index, true
		return
	}
	s.ref.path = append(s.ref.path, field{index: index, numeric: numeric, bracket: true})
}

// fail notes the first fault only: a text may have thousands.
func (s *scanner) fail(format string, quoted ...string) {
	if s.ref.malformed != "" {
		return
	}
	args := make([]any, len(quoted))
	for i, text := range quoted {
		args[i] = clip(text)
	}
	s.ref.malformed = fmt.Sprintf(format, args...)
}

// clip shortens what a message quotes.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// bracketEnd finds the end of what the bracket at text[at] opens.
func bracketEnd(text string, at int) (end int, closed bool) {
	for i, r := range text[at+1:] {
		here := at + 1 + i
		switch {
		case r == ']':
			return here + 1, true
		case r == '[', r == '|', unicode.IsSpace(r), strings.HasPrefix(text[here:], opening):
			return here, false
		}
	}
	return len(text), false
}

// nameEnd gives the end of the name that begins at text[at], at itself when
// none does.
func nameEnd(text string, at int) int {
	for at < len(text) {
		if c := text[at]; c < utf8.RuneSelf {
			if !asciiName[c] {
				return at
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if !(unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) {
			return at
		}
		at += size
	}
	return at
}

var asciiName = func() (table [utf8.RuneSelf]bool) {
	for c := range table {
		table[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
	}
	return table
}()

// parseIndex reads a whole number in ASCII digits. A number too large for any
// list becomes the largest int, which no list reaches.
func parseIndex(text string) (n int, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" {
		return 0, false
	}
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (math.MaxInt32-9)/10 {
			n = math.MaxInt32
			continue
		}
		n = n*10 + int(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

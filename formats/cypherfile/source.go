package cypherfile

import (
	"sort"
	"strconv"
	"unicode/utf8"
)

// maxSize bounds a file, in bytes. The largest workflow files known are a few hundred KB.
const maxSize = 16 << 20

// A source is a file as characters. Neo4j replaces \uXXXX everywhere before it looks at
// anything else, even where that makes or ends a text, so this is done here and not in
// the lexer; escapes remembers where, to find the place in the file again.
type source struct {
	name    string
	text    []rune
	escapes []int // indexes into text that stood as six characters in the file
	lines   []int // file index (in characters) at which each line begins
}

func newSource(name string, src []byte) (*source, error) {
	s := &source{name: name, lines: []int{0}}
	if len(src) > maxSize {
		return nil, &Error{File: name, Line: 1, Col: 1, Text: "the file is larger than 16 MB"}
	}
	if !utf8.Valid(src) {
		return nil, s.invalidUTF8(src)
	}
	raw := []rune(string(src))
	s.text = make([]rune, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '\n' || c == '\r' && (i+1 == len(raw) || raw[i+1] != '\n') {
			s.lines = append(s.lines, i+1)
		}
		if c == '\\' && i+1 < len(raw) && raw[i+1] == '\\' {
			s.text = append(s.text, c, c) // an escaped backslash hides a u that follows
			i++
			continue
		}
		if c != '\\' || i+1 == len(raw) || raw[i+1] != 'u' {
			s.text = append(s.text, c)
			continue
		}
		code, ok := hexRune(raw[i+2:])
		if !ok {
			line, col := s.placeOfFile(i)
			return nil, &Error{File: name, Line: line, Col: col, Text: `\u needs four hexadecimal digits`}
		}
		s.escapes = append(s.escapes, len(s.text))
		s.text = append(s.text, code)
		i += 5
	}
	return s, s.joinSurrogates()
}

func hexRune(digits []rune) (rune, bool) {
	if len(digits) < 4 {
		return 0, false
	}
	for _, d := range digits[:4] {
		if !isHexDigit(d) {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	return rune(n), err == nil
}

// joinSurrogates makes one character of two \u escapes that are halves of one. The
// second half becomes a character to be skipped, so that indexes stay as they are.
func (s *source) joinSurrogates() error {
	for k, at := range s.escapes {
		high := s.text[at]
		if high < 0xD800 || high > 0xDFFF {
			continue
		}
		paired := high < 0xDC00 && k+1 < len(s.escapes) && s.escapes[k+1] == at+1
		if !paired || s.text[at+1] < 0xDC00 || s.text[at+1] > 0xDFFF {
			return s.located(faultf(at, "this \\u is half of a character: its other half must follow"))
		}
		s.text[at] = (high-0xD800)<<10 + (s.text[at+1] - 0xDC00) + 0x10000
		s.text[at+1] = skipped
	}
	return nil
}

// skipped stands for nothing: it can be not a character of a file.
const skipped rune = -1

// place turns an index into text into line and column of the file.
func (s *source) place(at int) (line, col int) {
	return s.placeOfFile(at + 5*sort.SearchInts(s.escapes, at))
}

func (s *source) placeOfFile(index int) (line, col int) {
	line = sort.SearchInts(s.lines, index+1)
	return line, index - s.lines[line-1] + 1
}

func (s *source) line(at int) int {
	line, _ := s.place(at)
	return line
}

// located gives an error of this package its place.
func (s *source) located(err error) error {
	f, ok := err.(*fault)
	if !ok {
		return err
	}
	line, col := s.place(f.at)
	return &Error{File: s.name, Line: line, Col: col, Text: f.text}
}

func (s *source) invalidUTF8(src []byte) error {
	line, col := 1, 1
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		if r == utf8.RuneError && size == 1 {
			break
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		src = src[size:]
	}
	return &Error{File: s.name, Line: line, Col: col, Text: "the file is not UTF-8 text"}
}

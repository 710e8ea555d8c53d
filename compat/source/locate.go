package source

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// Locate returns line and column, from 1, of the value at a JSON pointer. If the pointer does
// not exist, it returns the position of its last existing part. For many positions in one text
// use an Index.
func Locate(src []byte, pointer string) (line, column int) { return NewIndex(src).Locate(pointer) }

// An Index finds positions in one JSON text. It reads each object and list at most once, so
// that the cost is linear in the size of the file, however many positions are requested. It
// must be used by one goroutine only.
type Index struct {
	src    []byte
	lines  []int // where lines begin
	inside map[int]map[string]int
}

// NewIndex returns an index of a text. The text is read on demand.
func NewIndex(src []byte) *Index { return &Index{src: src, inside: map[int]map[string]int{}} }

// Locate is like the function Locate.
func (x *Index) Locate(pointer string) (line, column int) {
	at := x.find(pointer)
	line = x.lineOf(at)
	return line, 1 + utf8.RuneCount(x.src[x.lines[line-1]:at])
}

// Line returns the line of the value at a JSON pointer, from 1.
func (x *Index) Line(pointer string) int { return x.lineOf(x.find(pointer)) }

// find is where the value begins.
func (x *Index) find(pointer string) int {
	at := x.skipBlanks(0)
	if pointer == "" {
		return at
	}
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		next, ok := x.members(at)[jsontext.UnescapeToken(part)]
		if !ok {
			break
		}
		at = next
	}
	return at
}

// members are the places of the members of an object, by key, or of a list, by its
// number.
func (x *Index) members(at int) map[string]int {
	known, done := x.inside[at]
	if !done {
		known = x.read(at)
		x.inside[at] = known
	}
	return known
}

// read goes through one object or list. Of a key that is there twice the last counts, as it
// does when the file is decoded.
func (x *Index) read(at int) map[string]int {
	d := json.NewDecoder(bytes.NewReader(x.src[at:]))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	members := map[string]int{}
	for i := 0; d.More(); i++ {
		key := strconv.Itoa(i)
		if open == json.Delim('{') {
			token, err := d.Token()
			if err != nil {
				return members
			}
			key, _ = token.(string)
		}
		members[key] = x.skipBlanks(at + int(d.InputOffset()))
		var whole json.RawMessage
		if d.Decode(&whole) != nil {
			return members
		}
	}
	return members
}

// skipBlanks steps over what stands before a value: blanks, a colon, a comma.
func (x *Index) skipBlanks(at int) int {
	for at < len(x.src) && strings.IndexByte(" \t\r\n:,", x.src[at]) >= 0 {
		at++
	}
	return at
}

// lineOf is the line, from 1, in which a byte stands.
func (x *Index) lineOf(at int) int {
	if x.lines == nil {
		x.lines = []int{0}
		for i, c := range x.src {
			if c == '\n' {
				x.lines = append(x.lines, i+1)
			}
		}
	}
	return sort.SearchInts(x.lines, at+1)
}

// position turns an offset into line and column, columns in characters.
func position(src []byte, at int) (line, column int) {
	before := src[:min(at, len(src))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[start:])
}

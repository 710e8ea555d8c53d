package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// maxDepth bounds how deep a script file may nest: the parser recurses.
const maxDepth = 200

// A node is a JSON value with its position, so that an error can name its line and JSON
// pointer. encoding/json provides neither, and silently drops the first of two members with
// the same name.
type node struct {
	pointer string
	offset  int // of its first byte
	text    []byte
	members []member // of an object, in order
	items   []*node  // of a list
}

type member struct {
	name  string
	value *node
}

func (n *node) kind() byte { return n.text[0] }

// get returns the value of a member, nil if it is absent.
func (n *node) get(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// only reports whether every member is one of names.
func (n *node) only(names ...string) bool {
	for _, m := range n.members {
		if !slices.Contains(names, m.name) {
			return false
		}
	}
	return true
}

// compact returns the value without white space, otherwise as written.
func (n *node) compact() json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, n.text); err != nil {
		panic("script: a parsed value is not valid JSON: " + err.Error()) // cannot happen: the decoder has read it
	}
	return out.Bytes()
}

// str returns the text of a JSON string.
func (n *node) str() string {
	var s string
	if err := json.Unmarshal(n.text, &s); err != nil {
		panic("script: a parsed text is not valid JSON: " + err.Error()) // cannot happen, as above
	}
	return s
}

// A SyntaxError is an error in a script file and its position.
type SyntaxError struct {
	Line, Col int    // from 1; Col counts characters
	Pointer   string // JSON Pointer of the value, "" for the whole file or where it is not valid JSON
	Message   string
}

// Error returns "line:col: pointer: message".
func (e *SyntaxError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message)
	}
	return fmt.Sprintf("%d:%d: %s: %s", e.Line, e.Col, e.Pointer, e.Message)
}

// A reader parses a text to nodes.
type reader struct {
	data    []byte
	decoder *json.Decoder
}

func readNode(data []byte) (*reader, *node, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	r := &reader{data: data}
	if at := invalidUTF8(data); at >= 0 {
		return r, nil, r.fail(at, "", "the text is not UTF-8 here")
	}
	// The decoder would find the same faults, but does not know their offset.
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return r, nil, r.syntax(err)
	}
	r.decoder = json.NewDecoder(bytes.NewReader(data))
	r.decoder.UseNumber()
	n, err := r.value("", 0)
	return r, n, err
}

func (r *reader) value(pointer string, depth int) (*node, error) {
	start := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, r.syntax(err)
	}
	n := &node{pointer: pointer, offset: start}
	if delim, ok := token.(json.Delim); ok {
		if depth >= maxDepth {
			return nil, r.fail(start, "", fmt.Sprintf("nested deeper than %d levels", maxDepth))
		}
		if err := r.children(n, delim, depth); err != nil {
			return nil, err
		}
		if _, err := r.decoder.Token(); err != nil { // the closing bracket
			return nil, r.syntax(err)
		}
	}
	n.text = r.data[start:r.decoder.InputOffset()]
	return n, nil
}

func (r *reader) children(n *node, open json.Delim, depth int) error {
	for r.decoder.More() {
		if open == '[' {
			item, err := r.value(n.pointer+"/"+strconv.Itoa(len(n.items)), depth+1)
			if err != nil {
				return err
			}
			n.items = append(n.items, item)
			continue
		}
		if err := r.member(n, depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) member(n *node, depth int) error {
	start := r.next()
	token, err := r.decoder.Token()
	if err != nil {
		return r.syntax(err)
	}
	name, ok := token.(string)
	if !ok {
		return r.fail(start, n.pointer, "the name of a member is a text")
	}
	pointer := n.pointer + "/" + jsontext.EscapeToken(name)
	if n.get(name) != nil {
		return r.fail(start, pointer, "stands here twice")
	}
	value, err := r.value(pointer, depth+1)
	if err != nil {
		return err
	}
	n.members = append(n.members, member{name: name, value: value})
	return nil
}

// next returns the offset of the next token: the decoder stands behind the last
// one, before blanks and the comma or colon.
func (r *reader) next() int {
	offset := int(r.decoder.InputOffset())
	for offset < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[offset]) >= 0 {
		offset++
	}
	return offset
}

func (r *reader) syntax(err error) error {
	const early = "unexpected end of JSON input" // its offset is the end, not the byte behind the fault
	offset := len(r.data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Error() != early {
		offset = max(int(syntax.Offset)-1, 0)
	}
	return r.fail(offset, "", "no JSON: "+err.Error())
}

func (r *reader) fail(offset int, pointer, message string) error {
	before := r.data[:min(offset, len(r.data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &SyntaxError{Line: line, Col: col, Pointer: pointer, Message: message}
}

func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

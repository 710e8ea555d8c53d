package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stepgraph/stepgraph/internal/jsontext"
)

// maxDepth bounds how deep objects and lists may stand in one another.
const maxDepth = 200

// A file is a document while it is being read.
type file struct {
	name      string
	src       []byte
	lines     []int // where lines begin, found when the first is asked for
	yamlLines []int // the same, as YAML counts lines
}

// A value is one JSON value that knows where it stands.
type value struct {
	file     *file
	pointer  string
	from, to int // bytes of the file; of YAML row and column stand in for from
	row      int
	column   int // in characters: finding the byte takes a look at the whole line
	scalar   any // nil, bool, string or json.Number
	isObject bool
	isList   bool
	keys     []string // of an object, in its order
	items    []*value // of an object or a list
	yaml     bool     // it was written in YAML: the bytes of the file are not its JSON
}

// fail is an error at this value.
func (v *value) fail(text string) error {
	if v.yaml {
		return v.file.failAt(v.row, v.column, v.pointer, text)
	}
	return v.file.fail(v.from, v.pointer, text)
}

func (f *file) fail(at int, pointer, text string) error {
	at = min(max(at, 0), len(f.src))
	line := 1 + bytes.Count(f.src[:at], []byte("\n"))
	col := at - bytes.LastIndexByte(f.src[:at], '\n')
	return &Error{File: f.name, Line: line, Col: col, Pointer: pointer, Text: text}
}

// line is the line, from 1, in which a byte stands.
func (f *file) line(at int) int {
	if f.lines == nil {
		f.lines = []int{0}
		for i, c := range f.src {
			if c == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	}
	return sort.SearchInts(f.lines, at+1)
}

// raw is the JSON of a value.
func (v *value) raw() []byte {
	if v.yaml {
		return v.appendJSON(nil)
	}
	return v.file.src[v.from:v.to]
}

func (v *value) isNull() bool { return v.scalar == nil && !v.isObject && !v.isList }

// is names what the value is, for messages.
func (v *value) is() string {
	switch v.scalar.(type) {
	case bool:
		return "true or false"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	}
	switch {
	case v.isObject:
		return "an object"
	case v.isList:
		return "a list"
	}
	return "null"
}

// get returns the value of an object's key, or nil where it is absent or null.
func (v *value) get(key string) *value {
	for i, k := range v.keys {
		if k == key && !v.items[i].isNull() {
			return v.items[i]
		}
	}
	return nil
}

// remove takes a key out of an object.
func (v *value) remove(key string) {
	if i := slices.Index(v.keys, key); i >= 0 {
		v.keys = slices.Delete(v.keys, i, i+1)
		v.items = slices.Delete(v.items, i, i+1)
	}
}

const notUTF8 = "the file is not UTF-8 text; save it as UTF-8"

// parse reads a document into its tree.
func (f *file) parse() (*value, error) {
	if !utf8.Valid(f.src) {
		return nil, f.fail(0, "", notUTF8)
	}
	r := f.reader()
	root, err := r.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, f.fail(r.skip(), "", "something follows the end of the document")
	}
	return root, nil
}

// jsonHint says what is probably wrong where JSON cannot be read on.
func jsonHint(src []byte, at int) string {
	if at >= len(src) {
		return ""
	}
	before := bytes.TrimRight(src[:at], " \t\r\n")
	switch c := src[at]; {
	case (c == '}' || c == ']') && bytes.HasSuffix(before, []byte(",")):
		return "; the comma before it is one too many"
	case c == '/' || c == '#':
		return "; JSON has no comments, YAML has"
	case c == '\'':
		return "; JSON has double quotes only"
	case c == '\n' || c == '\r' || c == '\t':
		return `; a line break or tab in a text is written \n or \t`
	case c == '"' && len(before) > 0 && strings.IndexByte(`"}]0123456789el`, before[len(before)-1]) >= 0:
		return "; a comma is missing before it"
	case c == '{' && len(before) > 0 && before[len(before)-1] == '}':
		return "; a comma is missing before it"
	case c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
		return "; keys and texts need double quotes"
	}
	return ""
}

type reader struct {
	file    *file
	decoder *json.Decoder
}

func (f *file) reader() *reader {
	r := &reader{file: f, decoder: json.NewDecoder(bytes.NewReader(f.src))}
	r.decoder.UseNumber()
	return r
}

// skip returns where the next token begins.
func (r *reader) skip() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.file.src) && strings.IndexByte(" \t\r\n,:", r.file.src[at]) >= 0 {
		at++
	}
	return at
}

func (r *reader) token(pointer string) (json.Token, error) {
	at := r.skip()
	t, err := r.decoder.Token()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return t, nil
	case errors.As(err, &syntax):
		at = max(at, int(syntax.Offset)-1)
		if strings.Contains(syntax.Error(), "in string literal") {
			at += max(bytes.IndexFunc(r.file.src[at:], func(c rune) bool { return c < ' ' }), 0)
		}
		return nil, r.file.fail(at, pointer, "invalid JSON: "+syntax.Error()+jsonHint(r.file.src, at))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.file.fail(len(r.file.src), pointer, "the document ends too early: a bracket, brace or quote is not closed")
	}
	return nil, r.file.fail(at, pointer, err.Error())
}

func (r *reader) value(pointer string, depth int) (*value, error) {
	v := &value{file: r.file, pointer: pointer, from: r.skip()}
	if depth > maxDepth {
		return nil, v.fail("nested more than " + strconv.Itoa(maxDepth) + " levels deep")
	}
	t, err := r.token(pointer)
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		v.isObject = true
		err = r.entries(v, depth)
	case json.Delim('['):
		v.isList = true
		err = r.list(v, depth)
	default:
		v.scalar = t
	}
	v.to = int(r.decoder.InputOffset())
	return v, err
}

func (r *reader) entries(v *value, depth int) error {
	seen := map[string]bool{}
	for r.decoder.More() {
		at := r.skip()
		t, err := r.token(v.pointer)
		if err != nil {
			return err
		}
		key, _ := t.(string)
		pointer := v.pointer + "/" + jsontext.EscapeToken(key)
		if seen[key] {
			return r.file.fail(at, pointer, "this key is there twice")
		}
		seen[key] = true
		item, err := r.value(pointer, depth+1)
		if err != nil {
			return err
		}
		v.keys = append(v.keys, key)
		v.items = append(v.items, item)
	}
	_, err := r.token(v.pointer)
	return err
}

func (r *reader) list(v *value, depth int) error {
	for r.decoder.More() {
		item, err := r.value(v.pointer+"/"+strconv.Itoa(len(v.items)), depth+1)
		if err != nil {
			return err
		}
		v.items = append(v.items, item)
	}
	_, err := r.token(v.pointer)
	return err
}

// Syntax returns the first fault that keeps a file from being JSON at all, as an *Error,
// or nil.
func Syntax(name string, src []byte) error {
	_, err := (&file{name: name, src: src}).parse()
	return err
}

package references

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxDepth is how deep an input may be nested.
const MaxDepth = 10_000

// An Input is a compiled JSON value, mostly the input object of a step. It is
// kept as compact JSON with gaps for the texts that hold references.
type Input struct {
	slots []slot
	// tail is what follows the last slot: everything where there is none.
	tail    json.RawMessage
	foreign []foreign
	// names begins the identifiers of program texts. It occurs nowhere in the
	// input.
	names string
	// size is the length of the compact input.
	size int
}

// A slot is one text with references and the JSON before it.
type slot struct {
	before   []byte
	template Template
	// key is the top-level key under which the text stands; direct is true when
	// the text is its whole value.
	key     string
	direct  bool
	program func() program
}

// An InputError says where a text is not the JSON that an input must be.
type InputError struct {
	// Offset counts bytes from 0. Line and Column count from 1, columns in
	// characters.
	Offset, Line, Column int
	// Reason says what is wrong there.
	Reason string
}

func (e *InputError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// ParseInput compiles the JSON text of an object. The error is an [*InputError].
func ParseInput(text []byte) (*Input, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	if at := skipSpace(text, 0); text[at] != '{' {
		return nil, inputError(text, at, "an input is an object, this is "+kindName(text[at]))
	}
	return compile(text), nil
}

// ParseValue compiles the JSON text of any value. The error is an [*InputError].
func ParseValue(text []byte) (*Input, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	return compile(text), nil
}

// check lets encoding/json find faults, which bounds the depth too.
func check(text []byte) error {
	if !utf8.Valid(text) {
		return inputError(text, invalidAt(text), "not UTF-8")
	}
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return inputError(text, 0, err.Error())
	}
	switch at := int(syntax.Offset); {
	case strings.HasSuffix(syntax.Error(), "exceeded max depth"):
		return inputError(text, at-1, fmt.Sprintf("nested deeper than %d levels", MaxDepth))
	case at >= len(text) && syntax.Error() == "unexpected end of JSON input":
		return inputError(text, len(text), "the JSON text ends too early")
	default:
		return inputError(text, at-1, "not JSON: "+syntax.Error())
	}
}

func invalidAt(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return len(text)
}

func inputError(text []byte, at int, reason string) *InputError {
	at = max(0, min(at, len(text)))
	before := text[:at]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return &InputError{
		Offset: at,
		Line:   1 + bytes.Count(before, []byte{'\n'}),
		Column: 1 + utf8.RuneCount(before[lineStart:]),
		Reason: reason,
	}
}

// compile cuts valid JSON text into slots.
func compile(text []byte) *Input {
	c := compiler{text: text, input: &Input{}}
	c.out = make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		at = c.token(at)
	}
	in := c.input
	in.tail = c.out[c.cut:len(c.out):len(c.out)]
	in.size = len(c.out)
	if len(in.slots) > 0 {
		in.names = freeName(text)
	}
	return in
}

type compiler struct {
	text  []byte
	input *Input
	// out is the compact text without the texts that became slots; what
	// follows cut belongs to the next slot.
	out   []byte
	cut   int
	depth int
	key   string
}

// token takes over one token and gives the offset behind it.
func (c *compiler) token(at int) int {
	switch b := c.text[at]; {
	case isSpace(b):
		return at + 1
	case b == '"':
		return c.string(at)
	case b == '{' || b == '[':
		c.depth++
	case b == '}' || b == ']':
		c.depth--
	}
	c.out = append(c.out, c.text[at])
	return at + 1
}

func (c *compiler) string(at int) int {
	end := stringEnd(c.text, at)
	raw := c.text[at:end]
	if next := skipSpace(c.text, end); next < len(c.text) && c.text[next] == ':' {
		if c.depth == 1 {
			c.key, _ = unquote(raw)
		}
		c.out = append(c.out, raw...)
		return end
	}
	if !mayRefer(raw) {
		c.out = append(c.out, raw...)
		return end
	}
	text, _ := unquote(raw)
	template := Parse(text)
	if !template.HasReference() {
		c.out = append(c.out, raw...)
		return end
	}
	c.add(template)
	return end
}

// mayRefer says whether the JSON string can hold "@{", as such or escaped.
func mayRefer(raw []byte) bool {
	return bytes.Contains(raw, []byte(opening)) || bytes.Contains(raw, []byte(`\u00`))
}

func (c *compiler) add(template Template) {
	in := c.input
	in.slots = append(in.slots, slot{
		before:   c.out[c.cut:len(c.out):len(c.out)],
		template: template,
		key:      c.key,
		direct:   c.depth == 1,
		program:  sync.OnceValue(func() program { return scanProgram(template.text) }),
	})
	in.foreign = append(in.foreign, template.foreign...)
	c.cut = len(c.out)
}

// HasReference says whether any text of the input holds a reference.
func (in *Input) HasReference() bool { return len(in.slots) > 0 }

// References lists every reference of the input in order, those in defaults
// included.
func (in *Input) References() []Reference {
	var all []Reference
	for i := range in.slots {
		all = append(all, in.slots[i].template.References()...)
	}
	return all
}

// Resolve gives the input with every reference replaced, as compact JSON. The
// whole input resolves, or none of it: then Missing lists all that is missing.
// The error is a [*ForeignSessionError] or what reading an output failed with.
func (in *Input) Resolve(scope Scope) (Result, error) {
	if len(in.slots) == 0 {
		return Result{Resolved: true, Value: in.tail}, nil
	}
	r := resolution{scope: scope}
	if err := r.refuseForeign(in.foreign); err != nil {
		return Result{}, err
	}
	to := make([]byte, 0, in.size+64*len(in.slots))
	for i := range in.slots {
		s := &in.slots[i]
		to = append(to, s.before...)
		to = r.appendValue(to, &s.template)
	}
	return r.result(append(to, in.tail...))
}

func (r *resolution) appendValue(to []byte, t *Template) []byte {
	if t.lone != nil {
		return append(to, r.typed(t.lone)...)
	}
	return r.appendTemplate(to, t)
}

package references

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	// members are the top-level members if the input is an object.
	members []memberSpan
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
	// joined is set where the text is put together by @text; then there is no
	// template.
	joined *joined
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
	// Reason is the error at that position.
	Reason string
}

func (e *InputError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// ParseInput compiles the JSON text of an object. That object itself is never a
// form such as @text. The error is an [*InputError].
func ParseInput(text []byte) (*Input, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	if at := skipSpace(text, 0); text[at] != '{' {
		return nil, inputError(text, at, "an input is an object, this is "+kindName(text[at]))
	}
	return compile(text, true)
}

// ParseValue compiles the JSON text of any value. The error is an [*InputError].
func ParseValue(text []byte) (*Input, error) {
	if err := check(text); err != nil {
		return nil, err
	}
	return compile(text, false)
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
	case at > 0 && at <= len(text) && text[at-1] == '\n' && strings.HasSuffix(syntax.Error(), "in string literal"):
		return inputError(text, at-1, `a line break inside a JSON text is written \n, and \\n where the JSON stands in quotes of Cypher`)
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

// HasReference says whether any text of the input holds a reference.
func (in *Input) HasReference() bool { return len(in.slots) > 0 }

// References lists every reference that Resolve replaces in order, those in
// defaults included.
func (in *Input) References() []Reference {
	var all []Reference
	for i := range in.slots {
		if s := &in.slots[i]; s.joined != nil {
			all = s.joined.appendReferences(all)
		} else {
			all = append(all, s.template.References()...)
		}
	}
	return all
}

// Resolve returns the input with every reference replaced, as compact JSON. If a value is
// missing, nothing is resolved and Missing lists all missing references. The error is a
// [*ForeignSessionError] or an error of reading an output.
func (in *Input) Resolve(scope Scope) (Result, error) {
	r := resolution{scope: scope}
	return in.resolve(&r, r.appendSlot)
}

// resolve writes the input, with what write appends for each slot, and cuts it into members.
func (in *Input) resolve(r *resolution, write func([]byte, *slot) []byte) (Result, error) {
	if len(in.slots) == 0 {
		return Result{Resolved: true, Value: in.tail, Members: in.cut(in.tail, []int{0})}, nil
	}
	if err := r.refuseForeign(in.foreign); err != nil {
		return Result{}, err
	}
	moved, read := make([]int, 1, len(in.slots)+1), 0
	result, err := r.result(in.appendTo(make([]byte, 0, in.size+64*len(in.slots)), func(to []byte, s *slot) []byte {
		to = write(to, s)
		read += len(s.before)
		moved = append(moved, len(to)-read)
		return to
	}))
	if err == nil && result.Resolved {
		result.Members = in.cut(result.Value, moved)
	}
	return result, err
}

// appendTo appends the input, with what write makes of each slot.
func (in *Input) appendTo(to []byte, write func([]byte, *slot) []byte) []byte {
	for i := range in.slots {
		s := &in.slots[i]
		to = append(to, s.before...)
		to = write(to, s)
	}
	return append(to, in.tail...)
}

func (r *resolution) appendSlot(to []byte, s *slot) []byte {
	switch t := &s.template; {
	case s.joined != nil:
		return r.appendJoined(to, s.joined, r.appendSlot)
	case t.lone != nil:
		return append(to, r.typed(t.lone)...)
	default:
		return r.appendTemplate(to, t)
	}
}

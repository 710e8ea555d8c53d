package references

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxTextDepth is how deep @text may be nested within @text. Each level may escape the text of
// the level below it again, which doubles its size.
const MaxTextDepth = 4

const (
	textKey    = "@text"
	joinKey    = "@join"
	literalKey = "@literal"
)

// A joined text is what {"@text": [...]} was compiled to.
type joined struct{ pieces []joinedPiece }

// A joinedPiece is literal text, as the inside of a JSON string, followed by the
// text of a part with references. The last piece may have no part.
type joinedPiece struct {
	literal []byte
	part    *Input
}

// A span is a part of the JSON text that is compiled.
type span struct{ from, to int }

// A form is an object that stands for something else.
type form struct {
	// parts is the list of @text, value what @literal holds; one of them is set.
	parts, value span
	join         span // the separator as a JSON string, empty for none
	end          int  // the offset behind the object
}

// mayHoldForm says whether the JSON text can hold one of the keys, as such or
// escaped.
func mayHoldForm(text []byte) bool {
	return bytes.Contains(text, []byte(textKey)) || bytes.Contains(text, []byte(literalKey)) || bytes.Contains(text, []byte(`\u00`))
}

// blockEnds gives for the offset of each opening bracket the offset behind the
// closing one, so that looking at nested objects stays linear.
func blockEnds(text []byte) map[int]int {
	ends := map[int]int{}
	var open []int
	for at := 0; at < len(text); {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '{', '[':
			open = append(open, at)
		case '}', ']':
			last := len(open) - 1
			ends[open[last]] = at + 1
			open = open[:last]
		}
		at++
	}
	return ends
}

// form reads the object at text[at]. ok is false when it is one like any other:
// it has other keys too, or a value of a kind that does not fit.
func (c *compiler) form(at int) (f form, ok bool) {
	f.end = c.ends[at]
	seen := 0
	for at = skipSpace(c.text, at+1); c.text[at] == '"'; at = skipSpace(c.text, at+1) {
		key, value := c.member(at)
		first := c.text[min(value.from, len(c.text)-1)]
		switch {
		case key == literalKey && seen == 0:
			f.value = value
		case key == textKey && first == '[' && f.parts.to == 0:
			f.parts = value
		case key == joinKey && first == '"' && f.join.to == 0:
			f.join = value
		default:
			return form{}, false
		}
		seen++
		if at = skipSpace(c.text, value.to); c.text[at] == '}' {
			break
		}
	}
	return f, f.parts.to > 0 && f.value.to == 0 || f.value.to > 0 && seen == 1
}

// member reads the key at text[at]; its value only where the key is one of a form.
func (c *compiler) member(at int) (key string, value span) {
	end := stringEnd(c.text, at)
	key, _ = unquote(c.text[at:end])
	if key != textKey && key != joinKey && key != literalKey {
		return key, span{}
	}
	from := skipSpace(c.text, skipSpace(c.text, end)+1)
	return key, span{from, c.valueEnd(from)}
}

// valueEnd gives the offset behind the value at text[at].
func (c *compiler) valueEnd(at int) int {
	switch c.text[at] {
	case '"':
		return stringEnd(c.text, at)
	case '{', '[':
		return c.ends[at]
	}
	return at + bytes.IndexAny(c.text[at:], ",]} \t\r\n")
}

// takeForm takes over the object at text[at] if it is a form.
func (c *compiler) takeForm(at int) (end int, ok bool) {
	f, ok := c.form(at)
	switch {
	case !ok:
		return at, false
	case f.value.to > 0:
		c.out = append(c.out, appendCompact(nil, c.text[f.value.from:f.value.to])...)
	case c.textDepth == MaxTextDepth:
		c.fault = inputError(c.text, at, fmt.Sprintf("@text nested deeper than %d levels", MaxTextDepth))
	default:
		c.joined(f)
	}
	return f.end, true
}

// joined compiles an @text: to constant text where nothing in it refers.
func (c *compiler) joined(f form) {
	var all joined
	var literal, separator []byte
	if f.join.to > 0 {
		separator = appendInside(nil, inside(c.text[f.join.from:f.join.to]))
	}
	for i, part := range c.items(f.parts) {
		if i > 0 {
			literal = append(literal, separator...)
		}
		in := c.part(part)
		if c.fault != nil {
			return
		}
		if len(in.slots) == 0 {
			literal = appendTextOf(literal, in.tail)
			continue
		}
		all.pieces = append(all.pieces, joinedPiece{literal: literal, part: in})
		literal = nil
	}
	if len(all.pieces) == 0 {
		c.out = append(c.out, wrapText(literal)...)
		return
	}
	all.pieces = append(all.pieces, joinedPiece{literal: literal})
	c.add(slot{joined: &all})
}

// items gives the items of the list in s.
func (c *compiler) items(s span) []span {
	var all []span
	for at := skipSpace(c.text, s.from+1); at < s.to-1; at = skipSpace(c.text, at) {
		if c.text[at] == ',' {
			at++
			continue
		}
		item := span{at, c.valueEnd(at)}
		all = append(all, item)
		at = item.to
	}
	return all
}

// part compiles one part of an @text on its own.
func (c *compiler) part(s span) *Input {
	p := compiler{text: c.text, ends: c.ends, input: &Input{}, key: c.key, textDepth: c.textDepth + 1}
	p.depth = c.depth + 1 // nothing in it is the whole value of a top-level key
	p.compile(s)
	c.fault = p.fault
	c.input.foreign = append(c.input.foreign, p.input.foreign...)
	return p.input
}

func (j *joined) appendReferences(to []Reference) []Reference {
	for i := range j.pieces {
		if part := j.pieces[i].part; part != nil {
			to = append(to, part.References()...)
		}
	}
	return to
}

// appendJoined appends the text as a JSON string; write appends the value of a
// slot in a part. What it appends is meaningless once something is missing.
func (r *resolution) appendJoined(to []byte, j *joined, write func([]byte, *slot) []byte) []byte {
	to = append(to, '"')
	for i := range j.pieces {
		p := &j.pieces[i]
		to = append(to, p.literal...)
		if p.part == nil {
			continue
		}
		value := p.part.appendTo(nil, write)
		if r.err == nil && len(r.missing) == 0 {
			to = appendTextOf(to, value)
		}
	}
	return append(to, '"')
}

// appendTextOf is appendText for any value: null has no text.
func appendTextOf(to []byte, value json.RawMessage) []byte {
	if isNull(value) {
		return to
	}
	return appendText(to, value)
}

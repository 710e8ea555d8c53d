package references

import (
	"encoding/json"
	"strings"
	"unicode"
)

// A Template is a compiled text. The zero Template is the empty text.
type Template struct {
	text string
	// plain is the whole text as JSON where it holds no reference.
	plain json.RawMessage
	// lone is set where the text is one chain and gives a typed value.
	lone *chain
	// pieces is a template: literal text and chains in turn.
	pieces []piece
	// foreign are references by another id than the token. They are checked
	// before anything is read, so that the error does not depend on the data.
	foreign []foreign
}

// A piece is literal text, as the inside of a JSON string, or a chain.
type piece struct {
	literal []byte
	chain   *chain
}

type foreign struct{ session, text string }

// Parse compiles a text. It never fails: a malformed reference stays in the
// text as one that is always missing and says why.
func Parse(text string) Template {
	if nextReference(text, 0) < 0 {
		return Template{text: text, plain: quote(text)}
	}
	t := Template{text: text}
	if c, ok := scanLone(strings.TrimSpace(text)); ok {
		t.lone = c
	} else {
		t.pieces = scanPieces(text)
	}
	t.eachChain(func(c *chain) {
		for i := range c.refs {
			if ref := &c.refs[i]; ref.session != Token {
				t.foreign = append(t.foreign, foreign{session: ref.session, text: ref.text})
			}
		}
	})
	return t
}

// Text is the text that was compiled.
func (t Template) Text() string { return t.text }

// HasReference says whether the text holds a reference, malformed ones included.
func (t Template) HasReference() bool { return t.lone != nil || t.pieces != nil }

// Lone says whether the text gives a value with its JSON type. A text without
// reference is not lone: it is itself.
func (t Template) Lone() bool { return t.lone != nil }

// References lists every reference of the text in order, those in defaults
// included.
func (t Template) References() []Reference {
	var all []Reference
	t.eachChain(func(c *chain) { all = c.appendReferences(all) })
	return all
}

func (t *Template) eachChain(visit func(*chain)) {
	if t.lone != nil {
		visit(t.lone)
	}
	for i := range t.pieces {
		if c := t.pieces[i].chain; c != nil {
			visit(c)
		}
	}
}

// scanLone reads a trimmed text as one chain. ok is false when it is a template.
func scanLone(text string) (c *chain, ok bool) {
	c = &chain{text: text}
	for at := 0; ; {
		ref, end, ok := scanReference(text, at)
		if !ok {
			if len(c.refs) == 0 || nextReference(text, at) >= 0 {
				return nil, false
			}
			c.setDefault(text[at:])
			return c, true
		}
		c.refs = append(c.refs, ref)
		at = skipBlanks(text, end)
		if at == len(text) {
			return c, true
		}
		if text[at] != '|' {
			return nil, false
		}
		at = skipBlanks(text, at+1)
	}
}

// scanPieces reads a text as a template.
func scanPieces(text string) []piece {
	var pieces []piece
	literal := func(from, to int) {
		if from < to {
			pieces = append(pieces, piece{literal: appendEscaped(nil, text[from:to])})
		}
	}
	at := 0
	for {
		start := nextReference(text, at)
		if start < 0 {
			literal(at, len(text))
			return pieces
		}
		literal(at, start)
		c, end := scanChain(text, start)
		pieces = append(pieces, piece{chain: c})
		at = end
	}
}

// scanChain reads the chain whose first reference begins at text[start], by the
// rules of a template.
func scanChain(text string, start int) (c *chain, end int) {
	ref, end, _ := scanReference(text, start)
	c = &chain{refs: []reference{ref}}
	for end < len(text) && text[end] == '|' {
		next, after, ok := scanReference(text, end+1)
		if !ok {
			stop := defaultEnd(text, end+1)
			c.setDefault(text[end+1 : stop])
			end = stop
			break
		}
		c.refs = append(c.refs, next)
		end = after
	}
	c.text = text[start:end]
	return c, end
}

// closing is the punctuation that ends a sentence or a bracket around a
// reference and so does not belong to its default.
const closing = `.,;:!?)]}'"`

// defaultEnd finds the end of a plain default in a template. It reads no further
// than that end, so that many defaults in one text stay linear.
func defaultEnd(text string, at int) int {
	end := len(text)
	for i, r := range text[at:] {
		if unicode.IsSpace(r) || r == '@' && startsReference(text, at+i) {
			end = at + i
			break
		}
	}
	return at + len(strings.TrimRight(text[at:end], closing))
}

func skipBlanks(text string, at int) int {
	return len(text) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
}

package expressions

import (
	"errors"
	"strconv"
	"strings"
)

// number reads a number as Python writes it. A whole number beyond 64 bits is refused: as a
// floating point number it would be equal to its neighbours.
func number(text string) (any, error) {
	if len(text) > 1 && text[0] == '0' && isDigit(rune(text[1])) && strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != "" {
		return nil, faultf("a whole number does not begin with 0: %q", text)
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err == nil {
		return n, nil
	}
	if errors.Is(err, strconv.ErrRange) {
		return nil, faultf("the number %s does not fit into 64 bits", abridged(text))
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(text, "xX_") {
		return nil, faultf("%q is not a number", text)
	}
	return f, nil
}

// unescape reads the inside of a text that is not raw. An escape that Python does not know
// stays as it is written.
func unescape(text string) (string, error) {
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch c := text[1]; {
		case c == '\n':
			text = text[2:]
		case c == '\'' || c == '"':
			b.WriteByte(c)
			text = text[2:]
		case c == 'N':
			return "", faultf(`\N{…} is not supported here; write the character itself`)
		case strings.IndexByte(`abfnrtv\xuU01234567`, c) < 0:
			b.WriteByte('\\')
			text = text[1:]
		default:
			made, _, rest, err := strconv.UnquoteChar(text, 0)
			if err != nil {
				return "", faultf("the escape %q is not a character", text[:min(len(text), 10)])
			}
			b.WriteRune(made)
			text = rest
		}
	}
	return b.String() + text, nil
}

// texts reads texts that stand side by side, which are one.
func (p *parser) texts() (node, error) {
	all := &template{}
	for p.peek().kind == textToken {
		t := p.take()
		raw := strings.Contains(t.prefix, "r")
		switch {
		case strings.Contains(t.prefix, "b"):
			return nil, unsupported(t.column, "bytes are not supported here; leave out the "+strconv.Quote(t.prefix))
		case strings.Contains(t.prefix, "f"):
			f := templateReader{parser: p, text: []rune(t.text), raw: raw, base: t.column + len(t.prefix)}
			if err := f.read(all); err != nil {
				return nil, placed(err, t.column)
			}
		default:
			if err := all.literal(t.text, raw); err != nil {
				return nil, placed(err, t.column)
			}
		}
	}
	return all.simplified(), nil
}

func (t *template) literal(text string, raw bool) (err error) {
	if !raw {
		text, err = unescape(text)
	}
	t.parts = append(t.parts, templatePart{literal: text})
	return err
}

// simplified is a constant where nothing has to be evaluated.
func (t *template) simplified() node {
	var b strings.Builder
	for _, part := range t.parts {
		if part.value != nil {
			return t
		}
		b.WriteString(part.literal)
	}
	return &constant{b.String()}
}

// A templateReader reads the inside of an f-string.
type templateReader struct {
	parser *parser
	text   []rune
	at     int
	base   int // column of the quote; triple quotes move it by two
	raw    bool
}

func (f *templateReader) read(t *template) error {
	var literal []rune
	for f.at < len(f.text) {
		c := f.text[f.at]
		switch {
		case (c == '{' || c == '}') && f.at+1 < len(f.text) && f.text[f.at+1] == c:
			literal = append(literal, c)
			f.at += 2
		case c == '}':
			return faultf("a single } in an f-string is written }}")
		case c == '{':
			if err := t.literal(string(literal), f.raw); err != nil {
				return err
			}
			literal = nil
			part, err := f.value()
			if err != nil {
				return err
			}
			t.parts = append(t.parts, part)
		default:
			literal = append(literal, c)
			f.at++
		}
	}
	return t.literal(string(literal), f.raw)
}

// value reads {expression}. Its tokens are read by a parser of their own, which goes on
// counting the depth.
func (f *templateReader) value() (part templatePart, err error) {
	up, err := f.parser.deeper()
	if err != nil {
		return part, err
	}
	defer up()
	f.at++
	end, err := f.valueEnd()
	if err != nil {
		return part, err
	}
	part.column = f.base + f.at
	tokens, err := scan(f.text[f.at:end], f.base+f.at, 1)
	if err != nil {
		return part, err
	}
	p := parser{tokens: tokens, depth: f.parser.depth}
	if p.peek().kind == endToken {
		return part, p.fail("there is no expression in the braces")
	}
	if part.value, err = p.whole(); err != nil {
		return part, err
	}
	if f.at = end; f.text[f.at] != '}' {
		return part, unsupported(f.base+f.at+1, "conversions and formats in an f-string are not supported here; a value stands alone in its braces")
	}
	f.at++
	return part, nil
}

// valueEnd gives the offset of what ends the expression: "!", ":" or "}" outside brackets
// and quotes.
func (f *templateReader) valueEnd() (int, error) {
	open := 0
	var quote rune
	for at := f.at; at < len(f.text); at++ {
		c := f.text[at]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("([{", c):
			open++
		case open > 0 && strings.ContainsRune(")]}", c):
			open--
		case open > 0:
		case c == '!' && at+1 < len(f.text) && f.text[at+1] == '=':
			at++
		case c == '!' || c == ':' || c == '}':
			return at, nil
		}
	}
	return 0, faultf("a value in an f-string is not closed by }")
}

package expressions

import "strings"

// texts reads texts that stand side by side, which are one.
func (p *parser) texts() (node, error) {
	whole := &template{}
	for p.peek().kind == textToken {
		t := p.take()
		switch {
		case strings.Contains(t.prefix, "b"):
			return nil, placed(faultf("bytes are not known here; leave out the %q", t.prefix), t.column)
		case strings.Contains(t.prefix, "f"):
			f := templateReader{parser: p, token: t, text: []rune(t.text), raw: strings.Contains(t.prefix, "r")}
			f.base = t.column + len(t.prefix) // of the quote; triple quotes move it by two
			if err := f.read(whole, false); err != nil {
				return nil, placed(err, t.column)
			}
		default:
			literal, err := t.text, error(nil)
			if t.prefix != "r" {
				literal, err = unescape(t.text)
			}
			if err != nil {
				return nil, placed(err, t.column)
			}
			whole.parts = append(whole.parts, templatePart{literal: literal})
		}
	}
	return whole.simplified(), nil
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

// A templateReader reads the inside of an f-string, or of a format in one.
type templateReader struct {
	parser *parser
	token  token
	text   []rune
	at     int
	base   int
	raw    bool
}

// read appends the parts to t. A format ends before the brace that closes its value.
func (f *templateReader) read(t *template, format bool) error {
	var literal []rune
	flush := func() error {
		text := string(literal)
		literal = nil
		if !f.raw {
			var err error
			if text, err = unescape(text); err != nil {
				return err
			}
		}
		t.parts = append(t.parts, templatePart{literal: text})
		return nil
	}
	for f.at < len(f.text) {
		c := f.text[f.at]
		doubled := f.at+1 < len(f.text) && f.text[f.at+1] == c && !format
		switch {
		case (c == '{' || c == '}') && doubled:
			literal = append(literal, c)
			f.at += 2
		case c == '}' && format:
			return flush()
		case c == '}':
			return faultf("a single } in an f-string is written }}")
		case c == '{':
			if err := flush(); err != nil {
				return err
			}
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
	return flush()
}

// value reads {expression!conversion:format}.
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
	if part.value, err = f.expression(f.text[f.at:end]); err != nil {
		return part, err
	}
	f.at = end
	if f.text[f.at] == '!' {
		if f.at+1 >= len(f.text) || !strings.ContainsRune("sra", f.text[f.at+1]) {
			return part, faultf("behind ! in an f-string stands s, r or a")
		}
		part.conversion = byte(f.text[f.at+1])
		f.at += 2
	}
	if f.at < len(f.text) && f.text[f.at] == ':' {
		f.at++
		format := &template{}
		if err := f.read(format, true); err != nil {
			return part, err
		}
		part.format = format.simplified()
	}
	if f.at >= len(f.text) || f.text[f.at] != '}' {
		return part, faultf("a value in an f-string is not closed by }")
	}
	f.at++
	return part, nil
}

// expression compiles the source of a value. Its tokens are read by a parser of their own,
// which goes on counting the depth.
func (f *templateReader) expression(source []rune) (node, error) {
	tokens, err := scan(source, f.base+f.at, 1)
	if err != nil {
		return nil, err
	}
	p := parser{tokens: tokens, depth: f.parser.depth}
	if p.peek().kind == endToken {
		return nil, p.fail("there is no expression in the braces")
	}
	return p.whole()
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

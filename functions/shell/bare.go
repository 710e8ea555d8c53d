package shell

import (
	"fmt"
	"strings"
)

func (b *binder) inBare() error {
	switch {
	case b.has("$'"):
		b.take(1)
		return b.ansi()
	case b.has("'"):
		return b.quoted()
	case b.has(`$"`):
		b.enter(double, `$"`)
	case b.has(`"`):
		b.enter(double, `"`)
	case b.has("#") && b.wordStart():
		b.comment()
	case b.has("$(("):
		b.enter(arithmetic, "$((")
	case b.has("(("):
		b.enter(arithmetic, "((")
	case b.has("$["):
		b.bracket(arithmetic, "$[")
	case b.has("$("), b.has("<("), b.has(">("):
		b.enter(substitute, b.text[b.at:b.at+2])
	case b.has("${"):
		b.enter(braces, "${")
	case b.has("[[") && b.wordStart():
		b.enter(test, "[[")
	case b.has("]]") && b.top().syntaxContext == test:
		b.take(2)
		b.pop()
	case b.has("[") && b.at > 0 && wordByte(b.text[b.at-1]):
		b.bracket(subscript, "[")
	case b.has("`"):
		b.tick()
	case b.has("<<<"):
		b.take(3)
	case b.has("<<"):
		b.beginHere()
	default:
		b.operator()
	}
	return nil
}

// operator copies a byte, which may end a simple command or a substitution.
func (b *binder) operator() {
	c, f := b.text[b.at], b.top()
	b.take(1)
	switch {
	case c == ')' && f.syntaxContext == substitute && f.depth == 0:
		b.pop()
		return
	case c == '(':
		f.depth++
	case c == ')':
		f.depth--
	}
	if strings.IndexByte(";&|()\n", c) >= 0 && f.syntaxContext != test {
		f.start = b.at
	}
}

// wordStart reports whether a word begins here.
func (b *binder) wordStart() bool {
	return b.at == 0 || strings.IndexByte(" \t\n;&|()`", b.text[b.at-1]) >= 0
}

// comment copies a comment with the references in it, because nothing in it is run.
func (b *binder) comment() {
	end := strings.IndexByte(b.text[b.at:], '\n')
	if end < 0 {
		end = len(b.text) - b.at
	}
	b.take(end)
}

// quoted copies '…'. The quotes are closed before a reference in it and reopened after it.
func (b *binder) quoted() error {
	b.take(1)
	for b.at < len(b.text) {
		if name := b.identifier(); name != "" {
			if err := b.refuse(); err != nil {
				return err
			}
			b.out.WriteString(`'"${` + name + `}"'`)
			b.at += len(name)
			continue
		}
		if b.has("'") {
			b.take(1)
			return nil
		}
		b.take(1)
	}
	return nil
}

// ansi copies $'…'.
func (b *binder) ansi() error {
	b.take(1)
	for b.at < len(b.text) {
		switch {
		case b.identifier() != "":
			return fmt.Errorf("a reference stands in $'…': use other quotes")
		case b.has(`\`):
			b.take(2)
		case b.has("'"):
			b.take(1)
			return nil
		default:
			b.take(1)
		}
	}
	return nil
}

package shell

import (
	"fmt"
	"strings"
)

// bind replaces each identifier in a POSIX shell text by an expansion of the variable of that
// name, quoted for its position. A position where no quoting helps is an error of the step.
func bind(text string, names map[string]bool) (string, error) {
	if len(names) == 0 {
		return text, nil
	}
	if word := integers.FindString(text); word != "" {
		return "", fmt.Errorf("%q makes a variable whose values are evaluated: a text with references cannot have one", word)
	}
	b := binder{text: text, names: names, stack: []frame{{}}}
	for b.at < len(b.text) {
		if err := b.next(); err != nil {
			return "", err
		}
	}
	return b.out.String(), nil
}

// A syntaxContext is a syntactic context of the shell.
type syntaxContext byte

const (
	bare       syntaxContext = iota
	double                   // "…"
	substitute               // $(…) and `…`, whose contents are parsed like bare
	backtick                 // `…`
	braces                   // ${…}
	arithmetic               // ((…)), $((…)) and $[…]
	subscript                // name[…]
	test                     // [[…]]
)

// evaluated says why no reference may be in a context: the shell evaluates its contents,
// including command substitutions, however they are quoted.
var evaluated = map[syntaxContext]string{
	arithmetic: "in arithmetic, where its value would be evaluated; check it first, and not by arithmetic",
	subscript:  "in […] after a name, where its value would be evaluated",
	braces:     "in ${…}, where its value would be evaluated",
	test:       "in [[…]], where its value may be evaluated; use [ … ]",
}

type frame struct {
	syntaxContext
	depth int    // of open parentheses
	start int    // offset in text where the simple command begins
	close string // the text that ends arithmetic
	begun string // in a here-document, the command that reads it
}

type binder struct {
	text  string
	at    int
	names map[string]bool
	stack []frame
	heres []here
	out   strings.Builder
}

func (b *binder) top() *frame       { return &b.stack[len(b.stack)-1] }
func (b *binder) pop()              { b.stack = b.stack[:len(b.stack)-1] }
func (b *binder) has(s string) bool { return strings.HasPrefix(b.text[b.at:], s) }

// enter copies the opening text of a place. In a substitution a new command begins; elsewhere
// the enclosing command continues.
func (b *binder) enter(p syntaxContext, begin string) {
	b.take(len(begin))
	f := frame{syntaxContext: p, start: b.top().start, begun: b.top().begun, close: "))"}
	if p == substitute || p == backtick {
		f.start, f.begun = b.at, ""
	}
	b.stack = append(b.stack, f)
}

func (b *binder) within(p syntaxContext) bool {
	for _, f := range b.stack {
		if f.syntaxContext == p {
			return true
		}
	}
	return false
}

// take copies n bytes.
func (b *binder) take(n int) {
	n = min(n, len(b.text)-b.at)
	b.out.WriteString(b.text[b.at : b.at+n])
	b.at += n
}

func (b *binder) next() error {
	if name := b.identifier(); name != "" {
		return b.expand(name)
	}
	switch c := b.text[b.at]; {
	case c == '\\':
		return b.escaped()
	case c == '\n' && len(b.heres) > 0 && b.top().syntaxContext != double:
		return b.documents()
	case b.top().syntaxContext == double:
		b.inDouble()
	case b.top().syntaxContext == arithmetic, b.top().syntaxContext == subscript:
		b.inArithmetic()
	case b.top().syntaxContext == braces:
		return b.inBraces()
	default:
		return b.inBare()
	}
	return nil
}

// identifier returns the name of a reference at the current position, "" for none. Identifiers
// occur nowhere else in the text, so matching the name is enough.
func (b *binder) identifier() string {
	end := b.at
	for end < len(b.text) && wordByte(b.text[end]) {
		end++
	}
	for ; end > b.at; end-- {
		if b.names[b.text[b.at:end]] {
			return b.text[b.at:end]
		}
	}
	return ""
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// expand writes the expansion of a reference at the current position.
func (b *binder) expand(name string) error {
	if err := b.refuse(); err != nil {
		return err
	}
	if b.top().syntaxContext == double {
		b.out.WriteString("${" + name + "}")
	} else {
		b.out.WriteString(`"${` + name + `}"`)
	}
	b.at += len(name)
	return nil
}

// refuse returns why no reference may stand at the current position, nil where one may.
func (b *binder) refuse() error {
	for _, f := range b.stack {
		if why := evaluated[f.syntaxContext]; why != "" {
			return fmt.Errorf("a reference stands %s", why)
		}
	}
	f, why := b.top(), ""
	if f.begun != "" {
		why = evaluatesDocument(f.begun)
	} else {
		why = evaluates(b.text[f.start:b.at])
	}
	if why != "" {
		return fmt.Errorf("a reference stands %s", why)
	}
	return nil
}

// escaped copies a backslash and the character that it escapes.
func (b *binder) escaped() error {
	if b.at++; b.identifier() != "" {
		return fmt.Errorf(`a backslash stands before a reference: put the reference in quotes`)
	}
	b.at--
	b.take(2)
	return nil
}

func (b *binder) inDouble() {
	switch {
	case b.has(`"`):
		b.take(1)
		b.pop()
	case b.has("$(("):
		b.enter(arithmetic, "$((")
	case b.has("$["):
		b.bracket(arithmetic, "$[")
	case b.has("$("):
		b.enter(substitute, "$(")
	case b.has("${"):
		b.enter(braces, "${")
	case b.has("`"):
		b.tick()
	default:
		b.take(1)
	}
}

// bracket enters what a bracket ends.
func (b *binder) bracket(p syntaxContext, begin string) {
	b.enter(p, begin)
	b.top().close = "]"
}

// tick begins or ends a command in backticks.
func (b *binder) tick() {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if b.stack[i].syntaxContext == backtick {
			b.take(1)
			b.stack = b.stack[:i]
			return
		}
	}
	b.enter(backtick, "`")
}

func (b *binder) inArithmetic() {
	f := b.top()
	open, shut := "(", ")"
	if f.close == "]" {
		open, shut = "[", "]"
	}
	switch {
	case f.depth == 0 && b.has(f.close):
		b.take(len(f.close))
		b.pop()
	case b.has(open):
		f.depth++
		b.take(1)
	case b.has(shut):
		f.depth--
		b.take(1)
	default:
		b.take(1)
	}
}

func (b *binder) inBraces() error {
	switch {
	case b.has("}"):
		b.take(1)
		b.pop()
	case b.has("${"):
		b.enter(braces, "${")
	case b.has("$("):
		b.enter(substitute, "$(")
	case b.has(`"`):
		b.enter(double, `"`)
	case b.has("'") && b.within(double):
		return fmt.Errorf(`a single quote stands in "${…}", which shells read in different ways: a text with references cannot have it`)
	case b.has("'"):
		return b.quoted()
	default:
		b.take(1)
	}
	return nil
}

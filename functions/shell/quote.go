package shell

import (
	"fmt"
	"strings"
)

// bind replaces each identifier of a POSIX shell text by an expansion of the variable of
// that name, quoted for where it stands. It is an error of the step where no quoting helps.
func bind(text string, names map[string]bool) (string, error) {
	if len(names) == 0 {
		return text, nil
	}
	b := binder{text: text, names: names, stack: []place{bare}}
	for b.at < len(b.text) {
		if err := b.next(); err != nil {
			return "", err
		}
	}
	return b.out.String(), nil
}

// A place is what the shell is in the middle of.
type place byte

const (
	bare       place = iota
	double           // "…"
	substitute       // $(…), which reads like bare
	backtick         // `…`, the same
	braces           // ${…}
	arithmetic       // ((…)) and $((…))
	test             // [[…]]
)

type binder struct {
	text  string
	at    int
	names map[string]bool
	stack []place
	depth []int // open parentheses of each substitution
	heres []here
	out   strings.Builder
}

// A here is a here-document whose text follows the line.
type here struct {
	word   string
	quoted bool
	tabs   bool // <<-
}

func (b *binder) top() place        { return b.stack[len(b.stack)-1] }
func (b *binder) push(c place)      { b.stack, b.depth = append(b.stack, c), append(b.depth, 0) }
func (b *binder) pop()              { b.stack, b.depth = b.stack[:len(b.stack)-1], b.depth[:len(b.depth)-1] }
func (b *binder) has(s string) bool { return strings.HasPrefix(b.text[b.at:], s) }

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
		b.take(2)
	case c == '\n' && len(b.heres) > 0 && b.top() != double:
		return b.documents()
	case b.top() == double:
		b.inDouble()
	case b.top() == arithmetic:
		b.inArithmetic()
	case b.top() == braces:
		b.inBraces()
	default:
		return b.inBare()
	}
	return nil
}

// identifier is the name of a reference that stands here, "" for none. It is taken whole:
// the names occur nowhere else in the text.
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

func (b *binder) expand(name string) error {
	for _, c := range b.stack {
		switch c {
		case arithmetic:
			return fmt.Errorf("a reference stands in arithmetic, where its value would be evaluated; check it first, then use a variable of the shell")
		case braces:
			return fmt.Errorf("a reference stands in ${…}, where its value would be evaluated")
		case test:
			return fmt.Errorf("a reference stands in [[…]], where its value may be evaluated; use [ … ]")
		}
	}
	if b.top() == double {
		b.out.WriteString("${" + name + "}")
	} else {
		b.out.WriteString(`"${` + name + `}"`)
	}
	b.at += len(name)
	return nil
}

func (b *binder) inDouble() {
	switch {
	case b.has(`"`):
		b.take(1)
		b.pop()
	case b.has("$(("):
		b.take(3)
		b.push(arithmetic)
	case b.has("$("):
		b.take(2)
		b.push(substitute)
	case b.has("${"):
		b.take(2)
		b.push(braces)
	case b.has("`"):
		b.tick()
	default:
		b.take(1)
	}
}

// tick begins or ends a command in backticks.
func (b *binder) tick() {
	b.take(1)
	for i := len(b.stack) - 1; i >= 0; i-- {
		if b.stack[i] == backtick {
			b.stack, b.depth = b.stack[:i], b.depth[:i-1]
			return
		}
	}
	b.push(backtick)
}

func (b *binder) inArithmetic() {
	switch {
	case b.has("))") && (len(b.depth) == 0 || b.depth[len(b.depth)-1] == 0):
		b.take(2)
		b.pop()
	case b.has("("):
		b.depth[len(b.depth)-1]++
		b.take(1)
	case b.has(")"):
		b.depth[len(b.depth)-1]--
		b.take(1)
	default:
		b.take(1)
	}
}

func (b *binder) inBraces() {
	switch {
	case b.has("}"):
		b.take(1)
		b.pop()
	case b.has("${"):
		b.take(2)
		b.push(braces)
	case b.has("$("):
		b.take(2)
		b.push(substitute)
	case b.has(`"`):
		b.take(1)
		b.push(double)
	case b.has("'"):
		b.single()
	default:
		b.take(1)
	}
}

func (b *binder) inBare() error {
	switch {
	case b.has("$'"), b.has("'"):
		if b.has("$") {
			b.take(1)
			return b.ansi()
		}
		return b.quoted()
	case b.has(`"`), b.has(`$"`):
		b.take(strings.IndexByte(b.text[b.at:], '"') + 1)
		b.push(double)
	case b.has("#") && b.wordStart():
		b.comment()
	case b.has("$(("), b.has("((") && b.wordStart():
		b.take(strings.Index(b.text[b.at:], "((") + 2)
		b.push(arithmetic)
	case b.has("$("), b.has("<("), b.has(">("):
		b.take(2)
		b.push(substitute)
	case b.has("${"):
		b.take(2)
		b.push(braces)
	case b.has("[[") && b.wordStart():
		b.take(2)
		b.push(test)
	case b.has("]]") && b.top() == test:
		b.take(2)
		b.pop()
	case b.has("`"):
		b.tick()
	case b.has("<<<"):
		b.take(3)
	case b.has("<<"):
		b.beginHere()
	case b.has("(") && b.top() == substitute:
		b.depth[len(b.depth)-1]++
		b.take(1)
	case b.has(")") && b.top() == substitute:
		if b.depth[len(b.depth)-1] > 0 {
			b.depth[len(b.depth)-1]--
			b.take(1)
			return nil
		}
		b.take(1)
		b.pop()
	default:
		b.take(1)
	}
	return nil
}

// wordStart tells whether a word begins here.
func (b *binder) wordStart() bool {
	return b.at == 0 || strings.IndexByte(" \t\n;&|(", b.text[b.at-1]) >= 0
}

// comment copies a comment; what stands in it is not run.
func (b *binder) comment() {
	end := strings.IndexByte(b.text[b.at:], '\n')
	if end < 0 {
		end = len(b.text) - b.at
	}
	b.take(end)
}

// quoted copies '…': a reference in it ends the quotes for its expansion.
func (b *binder) quoted() error {
	b.take(1)
	for b.at < len(b.text) {
		if name := b.identifier(); name != "" {
			for _, c := range b.stack {
				if c == test || c == arithmetic || c == braces {
					return b.expand(name) // says why not
				}
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

// single copies '…' where no reference may stand.
func (b *binder) single() {
	b.take(1)
	end := strings.IndexByte(b.text[b.at:], '\'')
	if end < 0 {
		end = len(b.text) - b.at - 1
	}
	b.take(end + 1)
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

// beginHere reads the word of a here-document.
func (b *binder) beginHere() {
	h := here{}
	b.take(2)
	if b.has("-") {
		h.tabs = true
		b.take(1)
	}
	for b.has(" ") || b.has("\t") {
		b.take(1)
	}
	start := b.at
	var word strings.Builder
	for b.at < len(b.text) && strings.IndexByte(" \t\n;&|<>()", b.text[b.at]) < 0 {
		switch c := b.text[b.at]; c {
		case '\'', '"', '\\':
			h.quoted = true
		default:
			word.WriteByte(c)
		}
		b.at++
	}
	b.out.WriteString(b.text[start:b.at])
	h.word = word.String()
	b.heres = append(b.heres, h)
}

// documents copies the here-documents that follow a line.
func (b *binder) documents() error {
	b.take(1)
	for _, h := range b.heres {
		for b.at < len(b.text) {
			end := strings.IndexByte(b.text[b.at:], '\n')
			line := b.text[b.at:]
			if end >= 0 {
				line = b.text[b.at : b.at+end+1]
			}
			plain := strings.TrimSuffix(line, "\n")
			if h.tabs {
				plain = strings.TrimLeft(plain, "\t")
			}
			if plain == h.word {
				b.take(len(line))
				break
			}
			if err := b.documentLine(h, b.at+len(line)); err != nil {
				return err
			}
		}
	}
	b.heres = nil
	return nil
}

func (b *binder) documentLine(h here, end int) error {
	if !h.quoted { // reads like the inside of "…"
		outside := len(b.stack)
		b.push(double)
		defer func() { b.stack, b.depth = b.stack[:outside], b.depth[:outside-1] }()
		depth := len(b.stack)
		for b.at < end {
			if b.has(`"`) && len(b.stack) == depth {
				b.take(1)
				continue
			}
			if err := b.next(); err != nil {
				return err
			}
		}
		return nil
	}
	for b.at < end {
		if b.identifier() != "" {
			return fmt.Errorf("a reference stands in a here-document whose word is quoted, where nothing is replaced; take the quotes off << %s", h.word)
		}
		b.take(1)
	}
	return nil
}
